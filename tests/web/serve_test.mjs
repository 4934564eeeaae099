// The page that is in the program, with both engines: this device, and `ramus serve` behind it. The truth is the native program.
// PICTURES=FOLDER keeps what the page looks like at two widths.
import assert from 'node:assert/strict'
import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {after, before, test} from 'node:test'
import {native, openBrowser, openPage, root, serveProgram, translate, translated} from './browser.mjs'

const book = 'The old man gave the children a book about the king.'
const server = await serveProgram()
const can = {skip: !server && 'the program was built without the page: make web, then make'}
let browser, page

const nativeText = (text, ...options) => native('en', 'de', text, ...options).replace(/\n$/, '')
const choose = engine => page.locator('#engines').getByText(engine).click()
const fabric = side => page.locator(`#weave-${side}`).evaluate(weave => [...weave.querySelectorAll('.column')].map(column => column.outerHTML))

before(async () => {
    if (!server) return
    browser = await openBrowser({serviceWorkers: 'block'})
    page = await openPage(browser.context, `${server.url}#from=en&to=de`)
})

after(async () => {
    await browser?.close()
    await server?.stop()
})

test('nothing is sent before the switch is turned', can, async () => {
    assert.equal(await translate(page, book), nativeText(book))
    assert.equal(await server.metric('ramus_characters_total'), 0)
})

test('the server gives the same text and the same gates', can, async () => {
    const device = [await fabric('source'), await fabric('target')]
    assert.ok(device[0].length > 5 && device[1].length > 5, 'there are gates')
    await choose('Server')
    assert.equal(await translated(page), nativeText(book))
    await page.locator('#speed', {hasText: / · server$/}).waitFor()
    assert.deepEqual([await fabric('source'), await fabric('target')], device)
    assert.equal(await server.metric('ramus_characters_total') >= book.length, true)
})

test('gates follow what is typed', can, async () => {
    await page.fill('#text', '')
    await page.waitForFunction(() => !document.querySelector('#weave-source .column'))
    let columns = 0
    for (const part of ['Where is', ' the station', ' of this town?']) {
        await page.locator('#text').pressSequentially(part)
        await page.waitForFunction(n => document.querySelectorAll('#weave-source .column').length > n &&
            !document.querySelector('#out .waiting'), columns)
        columns = (await fabric('source')).length
    }
    assert.equal(await translated(page), nativeText('Where is the station of this town?'))
})

test('other words in place of one', can, async () => {
    await translate(page, book)
    await page.locator('#out .word', {hasText: /^über$/}).click()
    await page.locator('#menu button').first().waitFor()
    const offered = await page.locator('#menu b').allTextContents()
    assert.ok(offered.length > 0 && !offered.includes('über'), offered.join())
    await page.keyboard.press('Escape')
})

for (const [name, format] of [['film.srt', 'srt'], ['note.md', 'markdown'], ['page.html', 'html']])
    test(`a document of the server: ${name}`, can, async () => {
        const text = {'film.srt': () => readFileSync(join(root, 'tests/golden/documents/film.srt'), 'utf8'),
            'note.md': () => `# The house\n\n${Array.from({length: 40}, (_, i) => `- The old man has ${i + 2} books.`).join('\n')}\n`,
            'page.html': () => '<p>The <b>old man</b> reads.</p><p>It is late.</p>\n'}[name]()
        await page.evaluate(() => {
            window.states = []
            new MutationObserver(() => window.states.push(document.querySelector('#files small')?.textContent))
                .observe(document.querySelector('#files'), {subtree: true, childList: true, characterData: true})
        })
        await page.setInputFiles('#file', {name, mimeType: '', buffer: Buffer.from(text)})
        const link = page.locator('#files li').first().getByText('Download')
        await link.waitFor()
        const [got] = await Promise.all([page.waitForEvent('download'), link.click()])
        assert.equal(got.suggestedFilename(), name.replace('.', '.de.'))
        assert.equal(readFileSync(await got.path(), 'utf8'), native('en', 'de', text, '--format', format))
        const states = await page.evaluate(() => window.states)
        assert.ok(states.some(s => /Translating into de: \d+ sentences/.test(s)), `progress: ${states}`)
    })

test('a server that refuses is heard', can, async () => {
    await page.setInputFiles('#file', {name: 'long.txt', mimeType: '', buffer: Buffer.from('It is late. '.repeat(90000))})
    await page.locator('#files small', {hasText: 'more than 1000000 bytes'}).waitFor()
})

test('it fits a phone and a desk', can, async () => {
    await translate(page, book)
    for (const width of [400, 1400]) {
        await page.setViewportSize({width, height: 900})
        await page.waitForTimeout(300)
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `at ${width} pixels`)
        if (process.env.PICTURES) await page.screenshot({path: join(process.env.PICTURES, `serve-${width}.png`), fullPage: true})
    }
})

test('back on this device', can, async () => {
    await choose('This device')
    const before = await server.metric('ramus_characters_total')
    assert.equal(await translate(page, 'It is late.'), nativeText('It is late.'))
    assert.equal(await server.metric('ramus_characters_total'), before)
    assert.deepEqual(page.faults, [])
})
