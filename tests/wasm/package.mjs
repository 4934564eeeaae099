// The npm package in node, through a worker and without one:  node package.mjs RAMUS
// RAMUS is the program: what it answers is what the package must answer.
import assert from 'node:assert/strict'
import {execFileSync} from 'node:child_process'
import {readFileSync, writeFileSync, mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {test} from 'node:test'
import {fileURLToPath} from 'node:url'
import {brotliCompressSync, constants} from 'node:zlib'
import {configure, LanguageDetector, Translator} from '../../build/web/package/ramus.js'

const root = fileURLToPath(new URL('../..', import.meta.url)), ramus = process.env.RAMUS ?? join(root, 'build/ramus')
const MOST_BYTES = {'ramus.wasm': 100 * 1024, 'documents.wasm': 153 * 1024} // docs/lab/wasm.md says what they are
const english = {sourceLanguage: 'en', targetLanguage: 'de'}
const golden = name => readFileSync(join(root, 'tests/golden', name), 'utf8')
const program = (...args) => execFileSync(ramus, ['translate', '-q', '--to', 'de', '--from', 'en', ...args], {encoding: 'utf8'})
const site = new URL('../../build/web/site/models.json', import.meta.url)
configure({models: site})

async function chunks(stream) {
    const all = []
    for await (const chunk of stream) all.push(chunk)
    return all
}

const morning = program('Good morning.').trimEnd()
let translator
test('create() opens the model and tells of progress from 0 to 1', async () => {
    const progress = []
    assert.equal(await Translator.availability(english), 'available')
    assert.equal(await Translator.availability({sourceLanguage: 'en', targetLanguage: 'fr'}), 'unavailable')
    translator = await Translator.create({...english, monitor: m => m.addEventListener('downloadprogress', event => {
        assert.equal(event.total, 1)
        progress.push(event.loaded)
    })})
    assert.equal(progress[0], 0)
    assert.equal(progress.at(-1), 1)
    assert.deepEqual(progress, progress.toSorted((a, b) => a - b))
    assert.equal(translator.model.row, 'simd128')
    assert.equal(translator.sourceLanguage, 'en')
    assert.equal(translator.inputQuota, Infinity)
    assert.equal(await translator.measureInputUsage('text'), 0)
})

test('texts are those of the program', async () => {
    for (const text of ['Where is the station?', 'I am here. You are there.  See https://example.org/a.', '  ', '😀 Hello 😀',
        'A lone half \ud83d of a pair.']) {
        for (const beam of [1, 4]) {
            const want = JSON.parse(program('--json', '--beam', String(beam), text.toWellFormed()))
            assert.equal(await translator.translate(text, {beam}), want.text, text)
        }
    }
    assert.equal(await translator.translate(''), '')
})

test('documents are those of the program', async () => {
    for (const [file, format] of [['page.html', 'html'], ['film.srt', 'srt'], ['guide.md', 'markdown'], ['letter.txt', 'text'],
        ['app.json', 'json']]) {
        const want = program('--format', format, '-i', join(root, 'tests/golden/documents', file))
        assert.equal(await translator.translate(golden(`documents/${file}`), {format}), want, file)
    }
    assert.ok((await translator.formats()).includes('html'))
})

test('glossaries, kept words, prefixes and whole lines are those of the program', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ramus-')), file = join(folder, 'terms')
    writeFileSync(file, 'station\tHaltestelle\n')
    const text = 'Where is the station of ACME-12? I do not know.'
    assert.equal(await translator.translate(text, {glossary: 'station\tHaltestelle\n'}),
        program('--glossary', file, text).trimEnd())
    assert.equal(await translator.translate(text, {keep: [/ACME-[0-9]+/]}), program('--keep', 'ACME-[0-9]+', text).trimEnd())
    assert.equal(await translator.translate(text, {prefix: 'Sag'}), program('--prefix', 'Sag', text).trimEnd())
    assert.equal(await translator.translate(text, {wholeLines: true}), program('--whole-lines', text).trimEnd())
    assert.equal(await translator.translate(text, {unprotected: true}), program('--unprotected', text).trimEnd())
    rmSync(folder, {recursive: true})
})

test('translateDetailed() has what --json prints, with places in the strings', async () => {
    const text = 'Hällo 😀 world. I have 3 cats.', want = JSON.parse(program('--json', '--n-best', '3', text))
    const got = await translator.translateDetailed(text, {nBest: 3})
    assert.equal(got.text, want.text)
    assert.equal(Number(got.score.toPrecision(9)), want.score)
    assert.deepEqual(got.notes, want.notes)
    assert.deepEqual(got.source.map(token => token.piece), want.source_tokens)
    assert.deepEqual(got.target.map(token => token.piece), want.tokens)
    assert.deepEqual(got.target.map(token => token.source), want.alignment)
    assert.deepEqual(got.alternatives.map(one => one.text), want.n_best.map(one => one.text))
    assert.equal(got.sentences.length, 2)
    const plain = piece => piece.replaceAll('▁', '').replace('\ue000', '😀') // that no piece has
    for (const [tokens, string] of [[got.source, text], [got.target, got.text]])
        for (const {piece, start, end} of tokens) assert.equal(string.slice(start, end), plain(piece))
    assert.equal(text.slice(...got.sentences[1].source), 'I have 3 cats.')
    assert.equal(got.sentences.map(one => got.text.slice(...one.target)).join(' '), got.text)
    assert.ok(got.ms > 0)
    assert.ok(got.target.every(token => token.gates.length === got.target[0].gates.length && token.gates.length > 0))
})

test('chunks of a stream are sentences and make up the translation', async () => {
    for (const text of ['One.  Two is more.\nThree 😀 are many. ', '', 'A sentence.', ' 😀 Hello. 😀 Good bye. 😀']) {
        const parts = await chunks(translator.translateStreaming(text))
        assert.equal(parts.join(''), await translator.translate(text))
    }
    assert.equal((await chunks(translator.translateStreaming('One. Two is more. Three.'))).length, 3)
    assert.equal((await chunks(translator.translateStreaming('<p>One. Two.</p>', {format: 'html'}))).length, 1)
})

test('documents.wasm takes over at the first document, glossary or expression, and says the same', async () => {
    const text = 'Where is the station? I have 3 cats.', html = '<p>Where is the <b>station</b>?</p>'
    const without = ({ms, ...rest}) => rest
    for (const options of [{format: 'html'}, {glossary: 'station\tHaltestelle\n'}, {keep: ['stat.on']}]) {
        const own = await Translator.create(english)
        const before = without(await own.translateDetailed(text, {nBest: 4}))
        assert.equal(await own.translate(html, options), await translator.translate(html, options))
        assert.deepEqual(without(await own.translateDetailed(text, {nBest: 4})), before)
        own.destroy()
    }
    configure({documents: new URL('nowhere.wasm', import.meta.url)})
    const alone = await Translator.create(english)
    await assert.rejects(alone.translate(html, {format: 'html'}), {name: 'NetworkError', message: /nowhere/})
    await assert.rejects(alone.formats(), {name: 'NetworkError'})
    assert.equal(await alone.translate(text), await translator.translate(text))
    alone.destroy()
    configure({documents: new URL('../../build/web/package/documents.wasm', import.meta.url)})
})

const long = 'This is one of very many sentences, and it takes its time. '.repeat(300)
test('an abort ends a call soon, and the next one works', async () => {
    for (const how of ['translate', 'translateDetailed']) {
        const controller = new AbortController(), start = performance.now()
        setTimeout(() => controller.abort(), 50)
        await assert.rejects(translator[how](long, {signal: controller.signal}), {name: 'AbortError'})
        const next = await translator.translate('Good morning.')
        assert.equal(next, morning)
        assert.ok(performance.now() - start < 2000)
    }
    await assert.rejects(translator.translate('a', {signal: AbortSignal.abort(new Error('mine'))}), {message: 'mine'})
    const reader = translator.translateStreaming(long).getReader()
    await reader.read()
    await reader.cancel()
    assert.equal(await translator.translate('Good morning.'), morning)
})

test('a worker that shares no memory is replaced when a call is aborted', async () => {
    const shared = globalThis.SharedArrayBuffer
    globalThis.SharedArrayBuffer = undefined
    const alone = await Translator.create(english)
    globalThis.SharedArrayBuffer = shared
    const running = alone.translate(long.repeat(20), {signal: AbortSignal.timeout(50)})
    const waiting = alone.translate('Good morning.')
    await assert.rejects(running, {name: 'TimeoutError'})
    assert.equal(await waiting, morning)
    alone.destroy()
})

test('errors have the names of the W3C explainer', async () => {
    await assert.rejects(Translator.create({sourceLanguage: 'en', targetLanguage: 'fr'}), {name: 'NotSupportedError'})
    await assert.rejects(Translator.create({sourceLanguage: 'en'}), TypeError)
    await assert.rejects(Translator.create({...english, signal: AbortSignal.abort()}), {name: 'AbortError'})
    await assert.rejects(translator.translate('a', {format: 'nothing'}), TypeError)
    await assert.rejects(translator.translate('a', {glossary: 'a\tb\nz\ty\tnothing\n'}), {name: 'DataError', message: /line 2/})
    configure({models: [{file: 'file:///nowhere.gguf', from: 'en', to: 'de'}]})
    assert.equal(await Translator.availability(english), 'downloadable')
    await assert.rejects(Translator.create(english), {name: 'NetworkError'})
    configure({models: [{file: import.meta.url, from: 'en', to: 'de'}]})
    await assert.rejects(Translator.create(english), {name: 'DataError'})
    configure({models: new URL('nowhere.json', import.meta.url)})
    await assert.rejects(Translator.create(english), {name: 'NetworkError'})
    configure({models: site})
})

test('destroy() rejects what runs and what comes', async () => {
    const other = await Translator.create({...english, sourceLanguage: 'en-GB'})
    const running = other.translate(long), waiting = other.translate('a')
    other.destroy()
    await assert.rejects(running, {name: 'AbortError'})
    await assert.rejects(waiting, {name: 'AbortError'})
    await assert.rejects(other.translate('a'), {name: 'AbortError'})
    await assert.rejects(other.measureInputUsage('a'), {name: 'AbortError'})
})

test('languages are guessed and sentences found without a model', async () => {
    const detector = await LanguageDetector.create()
    const [best, other] = await detector.detect('Das Kind schläft, weil es gespielt hat.')
    assert.equal(best.detectedLanguage, 'de')
    assert.equal(other.detectedLanguage, 'und')
    assert.ok(best.confidence > 0.97 && Math.abs(best.confidence + other.confidence - 1) < 1e-9)
    assert.equal((await detector.detect('12')).at(-1).detectedLanguage, 'und')
    const text = 'Ä 😀 one. And two.'
    assert.deepEqual((await detector.splitSentences(text, 'en')).map(range => text.slice(...range)), ['Ä 😀 one.', 'And two.'])
    detector.destroy()
})

test('without a worker answers are the same', async () => {
    configure({worker: false})
    const here = await Translator.create(english)
    assert.equal(await here.translate('Good morning.'), morning)
    assert.equal((await chunks(here.translateStreaming('One. Two.'))).join(''), await here.translate('One. Two.'))
    here.destroy()
    configure({worker: new URL('../../build/web/package/worker.js', import.meta.url)})
})

test('both programs are small and ask for two functions', () => {
    for (const [name, most] of Object.entries(MOST_BYTES)) {
        const wasm = readFileSync(join(root, 'build/web/package', name))
        const packed = brotliCompressSync(wasm, {params: {[constants.BROTLI_PARAM_QUALITY]: 11}}).length
        console.log(`${name}: ${wasm.length} bytes, ${packed} with brotli`)
        assert.ok(packed <= most, `${packed} bytes`)
        const imports = WebAssembly.Module.imports(new WebAssembly.Module(wasm))
        assert.deepEqual(imports.map(({module, name}) => `${module}.${name}`), ['ramus.stopped', 'ramus.sentence'])
        assert.ok(!wasm.includes(root), 'it names a folder of the machine that built it')
    }
})

test.after(() => translator?.destroy())
