// The page in a browser. The truth about translations is the native program.
import assert from 'node:assert/strict'
import {readdirSync, readFileSync, statSync} from 'node:fs'
import {createServer} from 'node:http'
import {join} from 'node:path'
import {after, before, test} from 'node:test'
import {axeSource, native, openBrowser, openPage, root, serve, site, translate, translated} from './browser.mjs'

const long = {skip: process.env.SHORT === '1' && 'left out of the short form'}
const book = 'The old man gave the children a book about the king.'
let server, browser, page

const nativeText = (text, ...options) => native('en', 'de', text, ...options).replace(/\n$/, '')
const word = (text, box = '#out') => page.locator(`${box} .word`, {hasText: new RegExp(`^${text}$`)}).first()
const out = () => page.locator('#out').textContent()

before(async () => {
    server = await serve()
    browser = await openBrowser()
    page = await openPage(browser.context, `${server.url}#from=auto&to=de`)
})

after(async () => {
    await browser?.close()
    await server?.stop()
})

test('typing translates as the native program does', async () => {
    await page.fill('#text', '')
    await page.locator('#text').pressSequentially('Where is the station? We are late.', {delay: 5})
    assert.equal(await translated(page), nativeText('Where is the station? We are late.'))
    assert.match(await page.locator('#speed').textContent(), /ms a sentence · [\d,]+ words a second · \S+/)
})

test('a text of several lines keeps them', async () => {
    const text = 'Dear Tom,\n\n  thank you.  It was nice.\n\nYours\nMary'
    assert.equal(await translate(page, text), nativeText(text))
})

test('edits ask for changed sentences alone and give what the whole text gives', long, async () => {
    const text = readFileSync(join(root, 'tests/models/glossary.en.txt'), 'utf8').split('\n').slice(0, 12).join(' ')
    await translate(page, text)
    await page.evaluate(() => {
        window.posted = []
        const post = Worker.prototype.postMessage
        Worker.prototype.postMessage = function (message, ...rest) {
            if (message.method === 'translate') window.posted.push(message.args.text)
            return post.call(this, message, ...rest)
        }
    })
    const edits = [['kidney stone on', 'big stone on'], ['A kidney', 'Yes. A kidney'], ['three litres', '3.5 litres'],
        ['. He', '? He'], ['The doctor', '"The doctor'], ['day because', 'day. Because'], ['hurt', 'hurt,']]
    let now = text
    for (const [old, fresh] of edits) {
        assert.ok(now.includes(old), old)
        now = now.replace(old, fresh)
        assert.equal(await translate(page, now), nativeText(now), now)
    }
    const posted = await page.evaluate(() => window.posted)
    const most = Math.max(...posted.map(t => t.length))
    assert.ok(posted.length <= edits.length && most < text.length / 2, `${posted.length} calls, the longest of ${most} letters`)
})

test('a word lights up with its source and its branches', async () => {
    await translate(page, book)
    await word('König').hover()
    assert.deepEqual(await page.locator('#mirror .with').allTextContents(), ['king'])
    assert.equal((await page.locator('#weave-target .column.on b').allTextContents()).join(''), 'König') // of one piece or more
    assert.equal((await page.locator('#weave-source .column.on b').allTextContents()).join(''), 'king')
    const box = await word('children', '#mirror').boundingBox()
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
    assert.deepEqual(await page.locator('#out .with').allTextContents(), ['Kindern'])
    await page.mouse.move(5, 5)
    assert.equal(await page.locator('.on').count(), 0)
    await translate(page, 'The observatory and the planetarium are closed to visitors.')
    let several = 0 // words of more than one piece
    for (const one of await page.locator('#out .word').filter({hasText: /^\p{L}+$/u}).all()) {
        await one.hover()
        const pieces = await page.locator('#weave-target .column.on b').allTextContents()
        assert.equal(pieces.join(''), await one.textContent())
        several += pieces.length > 1
    }
    assert.ok(several > 0)
})

test('the fabric has the branches that ramus gates tells', async () => {
    await translate(page, book)
    // `ramus gates` on a terminal: each token with its branch, here of encoder.3.attention
    const {spawnSync} = await import('node:child_process')
    const told = spawnSync(process.env.RAMUS ?? join(root, 'build/ramus'), ['gates', '--json', '-m', join(root, 'models/en-de.gguf'), book], {encoding: 'utf8'})
    const gates = JSON.parse(told.stdout.split('\n')[0]).gates
    const rows = await page.locator('#weave-source .column').evaluateAll(columns => columns.map(c =>
        [...c.querySelectorAll('i')].map(i => i.branch)))
    const names = Object.keys(gates).filter(name => name.startsWith('encoder') || name.endsWith('.kv'))
    assert.deepEqual(rows.map(r => r.length), Array(12).fill(names.length))
    names.forEach((name, i) => assert.deepEqual(rows.map(r => r[i]), gates[name], name))

    await page.locator('#weave-source .column').first().locator('i').nth(6).click()
    assert.match(await page.locator('#caption').textContent(), /ncoder layer 4, attention/)
    const painted = await page.locator('#mirror .painted').evaluateAll(words => words.map(w => Number(w.className.match(/p(\d)/)[1])))
    assert.deepEqual(painted, gates['encoder.3.attention'])
    await page.locator('#weave-source .column').first().locator('i').nth(6).click()
    assert.equal(await page.locator('.painted').count(), 0)
})

test('a click on a word offers others, and the rest follows', async () => {
    const words = (await translate(page, book)).split(' '), at = words.indexOf('Kindern') + 3
    await word(words[at]).click()
    await page.locator('#menu button').first().waitFor()
    const offered = await page.locator('#menu b').allTextContents()
    assert.ok(offered.length > 1 && !offered.includes(words[at]), offered.join())
    const [chosen] = offered.filter(text => /^\p{L}+$/u.test(text))
    const want = nativeText(book, '--prefix', [...words.slice(0, at), chosen].join(' '))
    const button = page.locator('#menu button', {has: page.locator('b', {hasText: new RegExp(`^${chosen}$`)})})
    assert.ok(want.endsWith(await button.textContent()), await button.textContent())
    await button.click()
    await page.waitForFunction(text => document.querySelector('#out').textContent === text, want)
    await word(words[3]).click()
    await page.fill('#menu input', 'schenkte')
    await page.keyboard.press('Enter')
    const typed = nativeText(book, '--prefix', [...words.slice(0, 3), 'schenkte'].join(' '))
    await page.waitForFunction(text => document.querySelector('#out').textContent === text, typed)
    await word('schenkte').click()
    await page.getByText('Back to the first translation').click()
    await page.waitForFunction(text => document.querySelector('#out').textContent === text, nativeText(book))
})

test('the language is detected, and the languages swap', async () => {
    await page.evaluate(() => { location.hash = '#from=auto&to=de&text=' })
    await page.waitForFunction(() => document.querySelector('#from').value === 'auto')
    await page.fill('#text', 'Das Kind schläft, weil es den ganzen Tag gespielt hat.')
    await page.waitForFunction(() => /^The child/.test(document.querySelector('#out').textContent))
    assert.equal(await page.locator('#to').inputValue(), 'en')
    assert.match(await page.locator('#from option:checked').textContent(), /German, detected/)
    const english = await translated(page)
    await page.click('#swap')
    assert.equal(await page.inputValue('#text'), english)
    assert.equal(await page.inputValue('#from'), 'en')
    assert.equal(await translated(page), nativeText(english))
    await page.selectOption('#from', 'auto')
})

test('text and languages are in the address', async () => {
    await page.evaluate(() => { location.hash = '#from=de&to=en&text=Guten+Morgen%21' })
    await page.waitForFunction(() => document.querySelector('#text').value === 'Guten Morgen!')
    assert.equal(`${await translated(page)}\n`, native('de', 'en', 'Guten Morgen!'))
    await page.fill('#text', 'Guten Abend & gute Nacht!')
    await page.waitForFunction(() => new URLSearchParams(location.hash.slice(1)).get('text') === 'Guten Abend & gute Nacht!')
    const other = await openPage(browser.context, page.url())
    assert.equal(await translated(other), await translated(page))
    await other.close()
    await page.evaluate(() => { location.hash = '#from=auto&to=de&text=' })
})

test('copy and clear', async () => {
    const text = await translate(page, `${book}\nGood morning!`)
    await page.click('#copy')
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), text)
    await page.click('#clear')
    assert.equal(await out() + await page.inputValue('#text'), '')
    assert.ok(await page.locator('#examples button').first().isVisible())
})

async function download(name, act, from = page) {
    const row = from.locator('#files li', {has: from.locator('strong', {hasText: name})}).first()
    await act()
    await row.locator('a, :text("Remove")').first().waitFor({timeout: 120000})
    const [file] = await Promise.all([from.waitForEvent('download'), row.locator('a').click()])
    const text = readFileSync(await file.path(), 'utf8')
    await row.getByText('Remove').click()
    return {name: file.suggestedFilename(), text}
}

test('files are translated as the native program does', async () => {
    const folder = join(root, 'tests/golden/documents')
    const files = process.env.SHORT === '1' ? ['film.srt'] : ['guide.md', 'film.srt', 'film.vtt', 'plain.html', 'menu.tsv', 'letter.txt']
    await page.selectOption('#from', 'en')
    for (const file of files) {
        const got = await download(file, () => page.setInputFiles('#file', join(folder, file)))
        const format = {md: 'markdown', txt: 'text'}[file.split('.')[1]] ?? file.split('.')[1]
        assert.equal(got.name, file.replace('.', '.de.'))
        assert.equal(got.text, native('en', 'de', readFileSync(join(folder, file)), '--format', format), file)
    }
    await page.selectOption('#from', 'auto')
})

test('a dropped file is translated; what is no text says so', async () => {
    const drop = (name, bytes) => page.evaluate(([name, bytes]) => {
        const data = new DataTransfer()
        data.items.add(new File([new Uint8Array(bytes)], name))
        dispatchEvent(new DragEvent('dragover', {dataTransfer: data, cancelable: true}))
        if (document.querySelector('#drop').hidden) throw new Error('nothing shows that files may be dropped')
        dispatchEvent(new DragEvent('drop', {dataTransfer: data, cancelable: true}))
    }, [name, [...Buffer.from(bytes)]])
    const got = await download('a.md', () => drop('a.md', '# The sea\n\nThe old man is *tired* today.\n'))
    assert.equal(got.text, native('en', 'de', '# The sea\n\nThe old man is *tired* today.\n', '--format', 'markdown'))
    await drop('brief.docx', 'PK')
    await drop('latin.txt', Buffer.from([0x66, 0xfc, 0x72]))
    await page.locator('#files', {hasText: 'The program takes docx'}).waitFor()
    await page.locator('#files', {hasText: 'not text in UTF-8'}).waitFor()
    for (let i = 0; i < 2; i++) await page.locator('#files').getByText('Remove').first().click()
})

test('the keyboard reaches everything', async () => {
    await translate(page, book)
    await page.focus('#text')
    const stops = []
    for (let i = 0; i < 5; i++) {
        await page.keyboard.press('Tab')
        stops.push(await page.evaluate(() => document.activeElement.id))
    }
    assert.deepEqual(stops.slice(0, 4), ['open', 'clear', 'out', 'copy'])
    await page.focus('#out')
    for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowRight')
    assert.match(await page.locator('#said').textContent(), /^Mann, from man; branches \d( \d)*$/)
    await page.keyboard.press('End')
    await page.keyboard.press('ArrowLeft')
    assert.match(await page.locator('#said').textContent(), /^König, from king/)
    await page.keyboard.press('Enter')
    await page.locator('#menu button, #menu input:focus').first().waitFor()
    await page.waitForFunction(() => document.querySelector('#menu').contains(document.activeElement))
    await page.keyboard.press('Escape')
    assert.ok(await page.locator('#menu').isHidden())
})

test('nothing serious for readers of screens, in both themes and widths', async () => {
    await translate(page, book)
    for (const width of [1400, 400])
        for (const colorScheme of ['light', 'dark']) {
            await page.setViewportSize({width, height: 900})
            await page.emulateMedia({colorScheme})
            await page.waitForTimeout(200) // colours change in steps
            const cdp = await browser.context.newCDPSession(page) // past the page's policy
            const {result} = await cdp.send('Runtime.evaluate', {awaitPromise: true, returnByValue: true,
                expression: `${axeSource};axe.run().then(r => r.violations.map(v => ({id: v.id, impact: v.impact, nodes: v.nodes.map(n => n.html + ' ' + n.failureSummary)})))`})
            const serious = result.value.filter(v => ['serious', 'critical'].includes(v.impact))
            assert.deepEqual(serious, [], `${width} ${colorScheme}`)
            const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
            assert.ok(overflow <= 0, `${overflow} pixels too wide at ${width}`)
        }
    await page.setViewportSize({width: 1400, height: 900})
})

test('a theme that was chosen stays', async () => {
    await page.emulateMedia({colorScheme: 'light'})
    const ground = p => p.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
    const light = await ground(page)
    for (let i = 0; i < 2; i++) await page.click('#theme')
    const dark = await ground(page)
    assert.notEqual(dark, light)
    const other = await openPage(browser.context, server.url)
    await other.emulateMedia({colorScheme: 'light'})
    assert.equal(await ground(other), dark)
    await other.click('#theme')
    assert.equal(await ground(other), light)
    await other.close()
})

test('nothing can leave: the policy of page and worker', async () => {
    let hits = 0
    const stranger = createServer((_, response) => { hits++; response.end() }).listen(0, '127.0.0.1')
    await new Promise(done => stranger.on('listening', done))
    const url = `http://localhost:${stranger.address().port}/`
    const said = await page.evaluate(async url => {
        const tries = {
            fetch: () => fetch(url, {mode: 'no-cors'}).then(() => 'sent', () => 'refused'),
            beacon: () => navigator.sendBeacon(url, 'text') ? new Promise(done => {
                addEventListener('securitypolicyviolation', () => done('refused'), {once: true})
                setTimeout(() => done('sent'), 2000)
            }) : 'refused',
            image: () => new Promise(done => { const i = new Image(); i.onload = () => done('sent'); i.onerror = () => done('refused'); i.src = url }),
            script: () => new Promise(done => { const s = document.createElement('script'); s.onload = () => done('sent'); s.onerror = () => done('refused'); s.src = url; document.head.append(s) }),
            form: () => new Promise(done => {
                addEventListener('securitypolicyviolation', () => done('refused'), {once: true})
                const f = document.createElement('form'); f.action = url; document.body.append(f); f.submit(); f.remove()
                setTimeout(() => done('sent'), 2000)
            }),
            text: () => { try { return eval('"ran"') } catch { return 'refused' } },
        }
        const said = {}
        for (const [name, attempt] of Object.entries(tries)) said[name] = await attempt()
        return said
    }, url)
    assert.deepEqual(said, {fetch: 'refused', beacon: 'refused', image: 'refused', script: 'refused', form: 'refused', text: 'refused'})
    await page.reload()
    await page.waitForFunction(() => navigator.serviceWorker.controller)
    const policies = await page.evaluate(() => Promise.all(['./', 'worker.js'].map(file =>
        fetch(file).then(r => r.headers.get('Content-Security-Policy')))))
    for (const policy of policies) assert.match(policy, /default-src 'none'.*connect-src 'self'/)
    assert.equal(hits, 0)
    stranger.close()
})

test('texts and scores are those of the native program', long, async () => {
    for (const [from, to] of [['en', 'de'], ['de', 'en']]) {
        const lines = readFileSync(join(root, `tests/models/glossary.${from}.txt`), 'utf8').split('\n').slice(40, 50)
        const want = native(from, to, lines.join('\n'), '--json').trim().split('\n').map(line => JSON.parse(line))
        const got = await page.evaluate(async ([from, to, lines]) => {
            const {Translator} = await import('./ramus.js')
            const translator = await Translator.create({sourceLanguage: from, targetLanguage: to})
            const all = []
            for (const line of lines) all.push(await translator.translateDetailed(line))
            translator.destroy()
            return all.map(d => ({text: d.text, score: d.score}))
        }, [from, to, lines])
        got.forEach((d, i) => {
            assert.equal(d.text, want[i].text)
            assert.equal(Number(d.score.toPrecision(9)), want[i].score)
        })
    }
})

test('how long from opening to the first translation', long, async t => {
    const wall = [], cpu = [], create = [], createCpu = [], memory = []
    const used = begin => [...browser.cpu()].reduce((sum, [pid, ms]) => sum + ms - (begin.get(pid) ?? 0), 0)
    for (let i = 0; i < 10; i++) {
        const other = await browser.context.newPage()
        await other.waitForTimeout(200) // what the browser does for a new window
        const begin = browser.cpu()
        await other.goto(`${server.url}#from=en&to=de&text=${encodeURIComponent(book)}`)
        await translated(other)
        cpu.push(used(begin))
        wall.push(await other.evaluate(() => performance.getEntriesByName('translated')[0].startTime))
        const before = browser.cpu()
        create.push(await other.evaluate(async text => {
            const {Translator} = await import('./ramus.js'), start = performance.now()
            const own = await Translator.create({sourceLanguage: 'en', targetLanguage: 'de'})
            await own.translate(text)
            return performance.now() - start
        }, book))
        createCpu.push(used(before))
        memory.push(await other.evaluate(async text => { // compiled anew, on the page's own thread
            const {Engine} = await import('./engine.js')
            const [wasm, model] = await Promise.all(['ramus.wasm', 'en-de.gguf'].map(async name => (await fetch(name)).arrayBuffer()))
            const start = performance.now()
            const engine = new Engine(await WebAssembly.compile(wasm))
            engine.reserve(model.byteLength).set(new Uint8Array(model))
            engine.open()
            engine.translate(text)
            return performance.now() - start
        }, book))
        await other.close()
    }
    const told = list => list.sort((a, b) => a - b).map(Math.round).join(' ')
    t.diagnostic(`open to first translation, model and program in memory: ${told(memory)} ms`)
    t.diagnostic(`open to first translation, model in the browser's cache: ${told(wall)} ms`)
    t.diagnostic(`CPU time of all processes of the browser meanwhile: ${told(cpu)} ms`)
    t.diagnostic(`a translator alone, from create() to its first sentence: ${told(create)} ms; CPU time ${told(createCpu)} ms`)
})

test('the page is small', {skip: readdirSync(site).includes('lines.js') && 'built without esbuild'}, () => {
    const names = readdirSync(site).filter(name => !/\.gguf$|\.wasm$|^(ramus|engine|worker)\.js$|^models\.json$/.test(name))
    const size = names.reduce((sum, name) => sum + statSync(join(site, name)).size, 0)
    assert.ok(size < 40 * 1024, `${size} bytes: ${names.join(' ')}`)
})

test('works with the server stopped', async () => {
    const other = await openPage(browser.context, server.url)
    await other.waitForFunction(() => /offline/.test(document.querySelector('#state').textContent), null, {timeout: 60000})
    await server.stop()
    server = null
    await other.goto('about:blank')
    const again = await openPage(browser.context, other.url() === 'about:blank' ? page.url().split('#')[0] : other.url())
    assert.equal(await translate(again, 'Good morning!'), nativeText('Good morning!'))
    const html = '<p>Good morning!</p>\n' // takes documents.wasm
    const got = await download('a.html', () => again.setInputFiles('#file', {name: 'a.html', mimeType: '', buffer: Buffer.from(html)}), again)
    assert.equal(got.text, native('en', 'de', html, '--format', 'html'))
    await again.click('#swap')
    assert.ok(await translated(again))
    assert.deepEqual(again.faults, [])
})

test('a server translates in its place, and tells places in bytes', long, async () => {
    const own = await serve(), other = await openBrowser({serviceWorkers: 'block'})
    const asked = []
    const answer = {source: 'Grüße an Zoë.', text: 'Greetings to Zoë.', score: -1, log_prob: -2, sentences: 1, notes: ['doubt'],
        tokens: ['▁Greetings', '▁to', '▁Zoë', '.'], log_probs: [-1, 0, 0, 0], alignment: [0, 1, 2, 3],
        source_tokens: ['▁Grüße', '▁an', '▁Zoë', '.'], source_gates: [[0], [1], [2], [3]], gates: [[1], [1], [1], [1]],
        source_places: [[0, 7], [8, 10], [11, 15], [15, 16]], places: [[0, 9], [10, 12], [13, 17], [17, 18]],
        pairs: [{source: [0, 16], target: [0, 18], log_prob: -2, notes: ['doubt']}], ms: 2}
    const json = body => ({contentType: 'application/json', body: JSON.stringify(body)})
    try {
        await other.context.route('**/v1/*', (route, request) => {
            const name = request.url().split('/').pop(), body = request.postDataJSON()
            if (body) asked.push({name, ...body})
            if (name === 'info') return route.fulfill(json({version: '1.2.3', limits: {alternatives: 3},
                models: [{file: 'x', from: 'de', to: 'en', bytes: 1}]}))
            if (name === 'detect') return route.fulfill(json({language: 'de', certainty: 1}))
            if (body.stream) return route.fulfill({contentType: 'application/x-ndjson',
                body: `${JSON.stringify({text: 0, sentence: 0})}\n${JSON.stringify(answer)}\n`})
            return route.fulfill(body.text === 'Nein' ? {status: 429, ...json({error: 'too many'})} : json(answer))
        })
        page = await openPage(other.context, `${own.url}#from=de&to=en`)
        await page.locator('#engines').getByText('Server').click()
        await page.fill('#text', answer.source)
        assert.equal(await translated(page), answer.text)
        await word('Zoë').hover()
        assert.deepEqual(await page.locator('#mirror .with').allTextContents(), ['Zoë'])
        assert.deepEqual(await page.locator('#weave-source b').allTextContents(), ['Grüße', 'an', 'Zoë', '.'])
        assert.match(await page.locator('#notes').textContent(), /doubts/)
        assert.match(await page.locator('#state').textContent(), /^Translates on localhost/)
        await page.locator('#speed', {hasText: / · server$/}).waitFor()
        const got = await download('a.srt', () => page.setInputFiles('#file', {name: 'a.srt', mimeType: '', buffer: Buffer.from('1')}))
        assert.equal(got.text, answer.text)
        assert.deepEqual(asked.map(a => a.stream ? a.format : a.text).slice(-2), [answer.source, 'srt'])
        await page.fill('#text', 'Nein')
        await page.locator('#state.failed', {hasText: 'too many'}).waitFor()
        await page.locator('#engines').getByText('This device').click()
        assert.equal(`${await translated(page)}\n`, native('de', 'en', 'Nein'))
    } finally {
        await other.close()
        await own.stop()
    }
})

test('no fault was seen', () => assert.deepEqual(page.faults, []))
