/* engines.js - two engines with one face: the model in a worker of this page, and the server that
 * the page came from.
 *
 *   name, models: [{from, to, bytes}]
 *   details(text, {from, to, ...options}) -> the translation with places in UTF-16
 *   document(text, {from, to, format, signal}, progress) -> {text, notes}
 *   detect(text) -> {language, confidence}
 *   facts(from, to) -> what is known of the model
 * `on.progress(part)` is told how much of a model has arrived. */
import {LanguageDetector, Translator, configure} from './ramus.js'

export async function deviceEngine(on) {
    const models = await (await fetch('models.json')).json()
    configure({models: new URL('models.json', location).href})
    const translators = new Map()
    const pair = (from, to) => ({sourceLanguage: from, targetLanguage: to})

    function open(from, to) {
        const key = `${from}-${to}`
        if (!translators.has(key)) {
            const made = Translator.create({...pair(from, to),
                monitor: m => m.addEventListener('downloadprogress', e => on.progress(e.loaded))})
            made.catch(() => translators.delete(key))
            translators.set(key, made)
        }
        return translators.get(key)
    }
    let detector = null

    return {
        name: 'device', models,
        details: async (text, {from, to, ...options}) =>
            (await open(from, to)).translateDetailed(text, options),
        async document(text, {from, to, format, signal}, progress) {
            const translator = await Translator.create({...pair(from, to), signal}) // of its own: typing goes on
            let n = 0
            try {
                return await translator.translateDocument(text, {format, signal, onSentence: () => progress(++n)})
            } finally {
                translator.destroy()
            }
        },
        async detect(text) {
            detector ??= LanguageDetector.create()
            const [best] = await (await detector).detect(text)
            return {language: best.detectedLanguage, confidence: best.confidence}
        },
        facts: async (from, to) => (await open(from, to)).model,
    }
}

/* Places in bytes of UTF-8 become places in UTF-16. */
function placesIn(text) {
    const at = []
    let unit = 0
    for (const c of text) {
        const code = c.codePointAt(0), bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
        for (let i = 0; i < bytes; i++) at.push(unit)
        unit += c.length
    }
    at.push(unit)
    return byte => at[Math.min(byte, at.length - 1)]
}

export async function serverEngine(base = '.') {
    const answer = await fetch(`${base}/v1/info`).catch(() => null)
    if (!answer?.ok || !/json/.test(answer.headers.get('content-type'))) return null
    const info = await answer.json()

    async function ask(body, signal) {
        const reply = await fetch(`${base}/v1/translate`, {method: 'POST', signal,
            headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body)})
        const r = await reply.json()
        if (!reply.ok) throw new Error(r.error?.message ?? r.error ?? reply.statusText)
        return r
    }

    return {
        name: 'server', models: info.models,
        async details(text, {beam, nBest, prefix, wholeLines, from, to}) {
            const begin = performance.now()
            const r = await ask({text, from, to, beam, n_best: nBest, prefix,
                whole_lines: wholeLines, details: true})
            const source = placesIn(text), target = placesIn(r.text)
            const range = (place, [start, end]) => [place(start), place(end)]
            return {text: r.text, score: r.score, logProb: r.log_prob, notes: r.notes,
                sublayers: r.sublayers ?? [], ms: r.ms ?? performance.now() - begin,
                sentences: r.sentences.map(s => ({...s, source: range(source, s.source), target: range(target, s.target)})),
                source: r.source_pieces.map(t => ({...t, start: source(t.start), end: source(t.end)})),
                target: r.target_pieces.map(t => ({...t, start: target(t.start), end: target(t.end)})),
                alternatives: r.n_best ?? []}
        },
        async document(text, {from, to, format, signal}) {
            const r = await ask({text, from, to, format}, signal)
            return {text: r.text, notes: r.notes}
        },
        async detect(text) {
            const {language, confidence} = await ask({text, from: 'auto', detect: true})
            return {language, confidence}
        },
        facts: async () => ({row: info.isa, ...info.models[0]}),
    }
}
