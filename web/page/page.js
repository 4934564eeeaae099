/* page.js - what the page does: text, languages and engine in, translations out. */
import {deviceEngine, serverEngine} from './engines.js'
import {takeFiles} from './files.js'
import {linesOf, replace, sentencesOf, stale, translation} from './lines.js'
import {openMenu} from './menu.js'
import * as view from './view.js'

const {$, element} = view
const names = new Intl.DisplayNames('en', {type: 'language'})
const nameOf = code => names.of(code)

const engines = {}
let engine = null
let from = 'auto', to = null, detected = null // languages
let lines = []

// Translations that were made: key -> parts
const cache = new Map(), mostCached = 5000
const keyOf = (text, d) => JSON.stringify([engine.name, d.from, d.to, text])

function remember(key, parts) {
    cache.delete(key)
    cache.set(key, parts)
    if (cache.size > mostCached) cache.delete(cache.keys().next().value)
}

/* The direction that is translated: with `auto`, from what was detected. */
function direction() {
    const source = from === 'auto' ? detected ?? engine.models.find(m => m.to === to)?.from : from
    return {from: source, to}
}

const targetsOf = source => engine.models.filter(m => source === 'auto' || m.from === source).map(m => m.to)

function fillSelect(select, codes, chosen, first = []) {
    const options = [...first, ...[...new Set(codes)].map(c => [c, nameOf(c)])]
    select.replaceChildren(...options.map(([value, text]) => element('option', {value, textContent: text})))
    select.value = chosen
}

function showLanguages() {
    const auto = detected ? `${nameOf(detected)}, detected` : 'Detect language'
    fillSelect($('from'), engine.models.map(m => m.from), from, [['auto', auto]])
    fillSelect($('to'), targetsOf(from), to)
    const d = direction()
    $('text').lang = d.from ?? ''
    $('out').lang = d.to
    showExamples()
}

/* Makes the target one that there is a model for. */
function settle() {
    const source = from === 'auto' ? detected ?? 'auto' : from
    const targets = targetsOf(source)
    if (!targets.includes(to)) to = targets[0] ?? to
}

function changeDirection() {
    settle()
    showLanguages()
    lines = stale(lines)
    update()
}

// Speed of the latest translations, and the kernels that made it
const laps = []
let row = ''

function measure(text, d) {
    laps.push({ms: d.ms, sentences: d.sentences.length || 1, words: text.split(/\s+/).length})
    if (laps.length > 25) laps.shift()
    showSpeed()
}

function showSpeed() {
    const sum = key => laps.reduce((a, l) => a + l[key], 0)
    const ms = sum('ms') / sum('sentences'), rate = sum('words') / sum('ms') * 1000
    $('speed').textContent = `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms a sentence · ` +
        `${Math.round(rate).toLocaleString('en')} words a second${row && ` · ${row}`}`
}

async function showFacts(d) {
    const model = engine.models.find(m => m.from === d.from && m.to === d.to)
    const facts = await engine.facts(d.from, d.to)
    $('facts').textContent = [`${nameOf(d.from)} to ${nameOf(d.to)}`, facts?.name ?? model?.name,
        model?.bytes && `${(model.bytes / 1e6).toFixed(1)} MB`, facts?.version].filter(Boolean).join(' · ')
    row = facts?.row ?? ''
    if (laps.length) showSpeed()
}

function say(text, kind = '') {
    $('state').textContent = text
    $('state').className = kind
}

let offline = false // everything is kept

function sayReady() {
    say(engine.name === 'server' ? `Translates on ${location.host}`
        : offline ? 'On this device, works offline' : 'On this device', 'ready')
}

async function partsOf(part, d) {
    const key = keyOf(part.text, d)
    let made = cache.get(key)
    if (!made) {
        const details = await engine.details(part.text, d)
        made = sentencesOf(part, details)
        measure(part.text, details)
        remember(key, made)
    }
    // A word that was chosen stays so where its sentence comes again.
    return made.map((p, i) => ({...(cache.get(keyOf(p.text, d))?.find(c => c.chosen) ?? p),
        gap: i ? p.gap : part.gap, targetGap: i ? p.targetGap : part.gap}))
}

async function detect() {
    if (from !== 'auto') return
    const text = $('text').value.slice(0, 2000)
    const guess = text.trim().length > 3 ? await engine.detect(text) : null
    const known = guess && engine.models.some(m => m.from === guess.language)
    if (known && guess.confidence > (detected ? 0.9 : 0.6) && guess.language !== detected) {
        detected = guess.language
        if (to === detected || !targetsOf(detected).includes(to)) to = targetsOf(detected)[0]
        lines = stale(lines)
        showLanguages()
    }
}

let busy = false, asked = false // a further look at the text

async function pump() {
    asked = true
    if (busy) return
    busy = true
    try {
        let shownFor = null
        for (let part; asked || part;) {
            if (asked) {
                asked = false
                await detect()
            }
            part = lines.flatMap(l => l.parts).find(p => !p.done)
            if (!part) continue
            const d = direction(), made = await partsOf(part, d)
            if (d.from === direction().from && d.to === direction().to) replace(lines, part, made)
            if (shownFor !== d.from + d.to) {
                shownFor = d.from + d.to
                showFacts(d)
                sayReady()
            }
            drawSoon()
        }
    } catch (error) {
        say(error.message, 'failed')
    }
    busy = false
}

const notes = {
    invalid: 'Some bytes of the text are not UTF-8.', split: 'A sentence is too long for the model; it was translated in parts.',
    limit: 'A translation reached its greatest length.', loop: 'A translation repeats itself.',
    language: 'The text does not look like the language to translate from.',
    apart: 'A sentence was translated in pieces, around what is copied.',
    number: 'A number of the text is missing in the translation.', doubt: 'The model doubts its translation.',
}

let drawing = 0, cost = 0 // a timer; milliseconds of the last time

/* A long text is drawn less often than its sentences arrive. */
function drawSoon() {
    if (!drawing) drawing = setTimeout(draw, 4 * cost)
}

function draw() {
    const begin = performance.now()
    clearTimeout(drawing)
    drawing = 0
    view.render(lines)
    const parts = lines.flatMap(l => l.parts)
    if (!parts.includes(view.woven)) {
        view.light(null)
        view.weave(partAtCaret() ?? parts.find(p => p.tokens.length) ?? null)
    }
    const found = new Set(parts.flatMap(p => p.notes))
    $('notes').replaceChildren(...[...found].map(n => element('li', {textContent: notes[n] ?? n})))
    $('copy').hidden = !parts.length
    if (parts.length && parts.every(p => p.done)) performance.mark('translated')
    cost = performance.now() - begin
}

function partAtCaret() {
    let at = $('text').selectionStart
    for (const line of lines) {
        for (const part of line.parts) {
            at -= part.gap.length + part.text.length
            if (at <= 0) return part.tokens.length ? part : undefined
        }
        at -= line.tail.length + 1
    }
}

/* The text changed: what is known is shown at once, the rest is translated. */
function update() {
    const text = $('text').value, d = direction()
    lines = linesOf(text, lines)
    for (const line of lines)
        for (const part of line.parts.filter(p => !p.done)) {
            const made = cache.get(keyOf(part.text, d))
            if (made) replace([line], part, made.map((p, i) => i ? {...p} : {...p, gap: part.gap, targetGap: part.gap}))
        }
    document.body.classList.toggle('long', text.length > 280)
    $('clear').hidden = !text
    $('examples').hidden = !!text
    $('count').textContent = text ? `${text.length.toLocaleString('en')} characters` : ''
    draw()
    writeHash()
    if (text) pump()
}

export function setText(text) {
    $('text').value = text
    update()
}

const examples = {
    en: ['The old man gave the children a book about the sea.', 'Where is the station, and when does the next train leave?'],
    de: ['Das Kind schläft, weil es den ganzen Tag gespielt hat.', 'Könnten Sie mir bitte helfen, meinen Koffer zu tragen?'],
}

function showExamples() {
    const sources = from === 'auto' ? Object.keys(examples) : [from]
    $('examples').replaceChildren(...sources.flatMap(s => (examples[s] ?? []).slice(0, from === 'auto' ? 1 : 2)).map(
        text => element('button', {type: 'button', textContent: text, onclick: () => setText(text)})))
}

// The address: languages and text stand behind the #, which no browser sends anywhere.
let hashTimer = 0
const mostInHash = 5000

function writeHash() {
    clearTimeout(hashTimer)
    hashTimer = setTimeout(() => {
        const hash = new URLSearchParams({from, to}), text = $('text').value
        if (text && text.length <= mostInHash) hash.set('text', text)
        history.replaceState(null, '', `#${hash}`)
    }, 250)
}

function readHash() {
    const hash = new URLSearchParams(location.hash.slice(1))
    const known = engine.models
    const own = navigator.language.slice(0, 2), target = [hash.get('to'), to, own].find(l => known.some(m => m.to === l))
    from = known.some(m => m.from === hash.get('from')) ? hash.get('from') : 'auto'
    to = target ?? known[0].to
    settle()
    showLanguages()
    $('text').value = hash.get('text') ?? $('text').value
    lines = []
    update()
}

function swap() {
    const d = direction()
    if (!targetsOf(d.to).includes(d.from)) return
    const text = lines.every(l => l.parts.every(p => p.done)) ? translation(lines) : $('text').value
    from = d.to
    to = d.from
    detected = null
    showLanguages()
    lines = []
    setText(text)
}

async function copy() {
    if (navigator.clipboard) {
        await navigator.clipboard.writeText(translation(lines))
    } else { // over plain HTTP
        getSelection().selectAllChildren($('out'))
        document.execCommand('copy')
    }
    $('copy').textContent = 'Copied'
    setTimeout(() => $('copy').textContent = 'Copy', 1500)
}

// Words: pointer, keyboard, other words

const wordUnder = event => document.elementsFromPoint(event.clientX, event.clientY)
    .find(e => e.classList.contains('word'))

function pointAt(event) {
    view.light(wordUnder(event)?.at ?? null)
}

function walk(event) {
    const steps = {ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity}
    const words = [...$('out').querySelectorAll('.word')]
    const a = view.active?.side === 'target' ? view.active : null
    const now = a ? words.indexOf(view.spanOf(a.part, a.side, a.word)) : -1
    if (event.key in steps && words.length) {
        const e = words[Math.min(Math.max(now + steps[event.key], 0), words.length - 1)]
        view.light(e.at)
        e.scrollIntoView({block: 'nearest'})
        $('said').textContent = view.describe(view.active)
    } else if ((event.key === 'Enter' || event.key === ' ') && a) {
        offer(a, true)
    } else {
        return
    }
    event.preventDefault()
}

/* Offers other words; the one that is taken begins a new translation of the sentence. */
function offer({part, word}, keyboard) {
    const d = direction()
    openMenu(part, word, {
        ask: options => engine.details(part.text, {...d, wholeLines: true, ...options}),
        take(details) {
            const chosen = details && {...part, chosen: true}
            const made = details ? sentencesOf(chosen, {...details, sentences: []}) : null
            if (made) remember(keyOf(part.text, d), made)
            else cache.delete(keyOf(part.text, d))
            const fresh = made ?? [{...part, chosen: false, done: false}]
            replace(lines, part, fresh)
            draw()
            view.weave(fresh[0])
            if (!made) pump()
            if (keyboard) $('out').focus()
        },
    })
}

function listen() {
    $('text').addEventListener('input', update)
    $('text').addEventListener('pointermove', pointAt)
    $('out').addEventListener('pointermove', pointAt)
    for (const id of ['text', 'out', 'weave-source', 'weave-target'])
        $(id).addEventListener('pointerleave', () => { view.light(null); view.caption(); })
    document.addEventListener('selectionchange', () => {
        if (document.activeElement === $('text') && !view.active) view.weave(partAtCaret() ?? view.woven)
    })
    $('out').addEventListener('keydown', walk)
    $('out').addEventListener('click', event => {
        const at = wordUnder(event)?.at
        if (!at?.part.done || !getSelection().isCollapsed) return
        view.light(at) // a finger does not point before
        offer(at)
    })
    for (const side of ['source', 'target']) {
        const box = $(`weave-${side}`)
        box.addEventListener('pointermove', event => {
            const column = event.target.closest('.column')
            if (column) view.light(column.at)
            view.caption(event.target.branch === undefined ? null : event.target)
        })
        box.addEventListener('click', event => {
            if (event.target.branch !== undefined) view.choosePaint(event.target)
        })
    }
    $('from').addEventListener('change', () => { from = $('from').value; detected = null; changeDirection(); })
    $('to').addEventListener('change', () => { to = $('to').value; changeDirection(); })
    $('swap').addEventListener('click', swap)
    $('copy').addEventListener('click', copy)
    $('clear').addEventListener('click', () => { setText(''); $('text').focus(); })
    addEventListener('hashchange', readHash)
    takeFiles({
        direction: async text => {
            const guess = from === 'auto' ? await engine.detect(text.slice(0, 20000)) : {language: from}
            const source = engine.models.some(m => m.from === guess.language) ? guess.language : direction().from
            const targets = targetsOf(source)
            return {from: source, to: targets.includes(to) ? to : targets[0]}
        },
        translate: (...args) => engine.document(...args),
    })
    $('engines').addEventListener('change', event => {
        engine = engines[event.target.value]
        laps.length = 0
        changeDirection()
    })
}

const themes = ['system', 'light', 'dark']

function theme(value) {
    if (value === 'system') delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = value
    localStorage.setItem('theme', value)
    const button = $('theme'), next = themes[(themes.indexOf(value) + 1) % 3]
    button.title = `Colours: ${value}`
    button.setAttribute('aria-label', `Colours: ${value}. Press for ${next}.`)
    button.onclick = () => theme(next)
}

/* Keeps the page, the model of a direction and that of its reverse, so that they open without a connection. */
async function keep(d) {
    if (!navigator.serviceWorker) return
    navigator.serviceWorker.addEventListener('message', event => {
        if (event.data !== 'kept') return
        offline = true
        if ($('state').className === 'ready') sayReady()
    })
    await navigator.serviceWorker.register('sw.js')
    const {active} = await navigator.serviceWorker.ready
    const wanted = engines.device.models.filter(m => (m.from === d.from && m.to === d.to) ||
        (m.from === d.to && m.to === d.from && !navigator.connection?.saveData))
    await new Promise(done => setTimeout(done, 1000)) // worker.js may still be storing the first one
    active.postMessage(wanted.map(m => m.url))
}

async function start() {
    theme(themes.includes(localStorage.getItem('theme')) ? localStorage.getItem('theme') : 'system')
    say('Starting')
    try {
        const on = {progress: part => part < 1 && say(`Fetching the model: ${Math.round(part * 100)} %`)}
        engine = engines.device = await deviceEngine(on)
        listen()
        readHash()
        const d = direction()
        await engine.facts(d.from, d.to)
        sayReady()
        engines.server = await serverEngine()
        $('engines').hidden = !engines.server
        keep(d).catch(() => {}) // a browser that keeps nothing translates all the same
    } catch (error) {
        say(error.message, 'failed')
    }
}

document.querySelector('.chips').append(...[0, 1, 2, 3].map(b =>
    element('span', {}, element('i', {className: `b${b}`}), `${b}`)))
start()
