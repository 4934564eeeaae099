/* view.js - shows parts: words that light up together, and the fabric of branches below them. */
import {linksOf, wordsOf} from './lines.js'

export const $ = id => document.getElementById(id)

export function element(tag, attributes = {}, ...children) {
    const e = document.createElement(tag)
    for (const [key, value] of Object.entries(attributes))
        if (key in e) e[key] = value
        else e.setAttribute(key, value)
    e.append(...children)
    return e
}

const tokensOf = (part, side) => side === 'source' ? part.source : part.tokens

const shown = new WeakMap() // part -> what show() made

/* A stretch of text with a span for each word. */
function spans(text, words, part, side) {
    const box = element('span', {className: 'part'}), made = []
    let at = 0
    words.forEach((word, i) => {
        const span = element('span', {className: 'word'}, text.slice(word.start, word.end))
        span.at = {part, side, word: i}
        box.append(text.slice(at, word.start), span)
        made.push(span)
        at = word.end
    })
    box.append(text.slice(at))
    return [box, made]
}

function show(part) {
    let s = shown.get(part)
    if (s) return s
    const words = {source: wordsOf(part.text, part.source), target: wordsOf(part.target, part.tokens)}
    const [sourceBox, sourceSpans] = spans(part.text, words.source, part, 'source')
    const [targetBox, targetSpans] = spans(part.target, words.target, part, 'target')
    targetBox.classList.toggle('waiting', !part.done)
    targetBox.classList.toggle('noted', part.notes.length > 0)
    targetBox.classList.toggle('chosen', !!part.chosen)
    s = {words, links: linksOf(part), boxes: {source: sourceBox, target: targetBox},
         spans: {source: sourceSpans, target: targetSpans}}
    shown.set(part, s)
    return s
}

/* The lines in both panes. */
export function render(lines) {
    const source = [], target = []
    lines.forEach((line, i) => {
        if (i) source.push('\n'), target.push('\n')
        for (const part of line.parts) {
            const {boxes} = show(part)
            source.push(part.gap, boxes.source)
            target.push(part.targetGap, boxes.target)
        }
        source.push(line.tail)
    })
    $('mirror').replaceChildren(...source, '\u200b') // so that a last empty line has a height
    $('out').replaceChildren(...target)
    paint()
}

/* The words that belong together with one word: [[side, index]]. */
function company(part, side, word) {
    const {links} = show(part)
    if (side === 'source')
        return links.flatMap((l, i) => l === word ? [['target', i]] : [])
    return links[word] >= 0 ? [['source', links[word]]] : []
}

export let active = null // {part, side, word}
let lit = []

/* Lights a word and its company up; null: none. */
export function light(next) {
    if (next?.word < 0) next = null // a token without text
    if (next?.part === active?.part && next?.side === active?.side && next?.word === active?.word)
        return
    active = next
    lit.forEach(e => e.classList.remove('on', 'with'))
    lit = []
    document.body.classList.toggle('lit', !!next)
    if (!next) return
    weave(next.part)
    const mark = (e, name) => { e.classList.add(name); lit.push(e) }
    const mates = company(next.part, next.side, next.word), {spans, words} = show(next.part)
    for (const [side, i, name] of [[next.side, next.word, 'on'], ...mates.map(m => [...m, 'with'])]) {
        mark(spans[side][i], name)
        for (const t of words[side][i].tokens) mark(columns[side][t], 'on')
    }
}

/* What a listener hears of the active word. */
export function describe({part, side, word}) {
    const s = show(part), text = i => s.spans[side][i].textContent
    const mates = company(part, side, word).map(([m, i]) => s.spans[m][i].textContent)
    const first = tokensOf(part, side)[s.words[side][word].tokens[0]]
    return `${text(word)}${mates.length ? `, ${side === 'source' ? 'to' : 'from'} ${mates.join(' ')}` : ''}` +
        (first.gates?.length ? `; branches ${first.gates.join(' ')}` : '')
}

export const wordOf = (part, side, i) => show(part).words[side][i]
export const spanOf = (part, side, i) => show(part).spans[side][i]

// The fabric of branches: a column is a token, a row is a gate.

export let woven // the part that it shows
let columns = {source: [], target: []}
let names = null // of gates, {source: [..], target: [..]}
let painted = null // {side, row}: the gate whose colours the text has

const layers = (row, kinds) => `layer ${Math.floor(row / kinds.length) + 1}, ${kinds[row % kinds.length]}`

/* The names of the gates of a token, from their numbers: those of a model in which every sublayer is routed. */
function nameGates(source, target) {
    const decoder = target / 3, encoder = (source - decoder) / 2
    const whole = Number.isInteger(decoder) && Number.isInteger(encoder)
    const list = (n, name) => Array.from({length: n}, (_, i) => whole ? name(i) : `gate ${i + 1}`)
    names = {
        source: list(source, i => i < 2 * encoder ? `encoder ${layers(i, ['attention', 'feed-forward'])}`
            : `decoder layer ${i - 2 * encoder + 1}, keys and values`),
        target: list(target, i => `decoder ${layers(i, ['attention', 'queries', 'feed-forward'])}`)}
}

export function weave(part) {
    if (part === woven) return
    woven = part
    for (const side of ['source', 'target']) {
        const tokens = part ? tokensOf(part, side) : []
        const text = part ? (side === 'source' ? part.text : part.target) : ''
        const {words} = part ? show(part) : {words: {source: [], target: []}}
        const starts = new Set(words[side].map(w => w.tokens[0]))
        columns[side] = tokens.map((t, i) => {
            const column = element('div', {className: starts.has(i) ? 'column first' : 'column'},
                element('b', {}, text.slice(t.start, t.end) || '·'),
                ...(t.gates ?? []).map((branch, row) =>
                    Object.assign(element('i', {className: `b${branch % 8}`}), {side, row, branch})))
            column.at = {part, side, word: words[side].findIndex(w => w.tokens.includes(i))}
            return column
        })
        const box = $(`weave-${side}`)
        box.replaceChildren(...columns[side])
        box.hidden = !tokens.some(t => t.gates?.length)
        box.setAttribute('aria-label', `Branches of ${tokens.length} pieces of the ` +
            (side === 'source' ? 'text' : 'translation'))
    }
    const gated = (part?.source[0] ?? part?.tokens[0])?.gates?.length
    $('legend').hidden = !gated
    if (gated) nameGates(part.source[0]?.gates?.length ?? 0, part.tokens[0]?.gates?.length ?? 0)
    caption()
    markRow()
}

/* Says what one cell is; none: the painted row, or what there is to see. */
export function caption(cell) {
    const row = cell ?? painted
    const name = row && names?.[row.side][row.row]
    $('caption').textContent = !name ? 'The branches each word took. Point at a row to name its gate, press it to see it in the text.'
        : cell ? `${name[0].toUpperCase() + name.slice(1)}: branch ${cell.branch}`
        : `In the text: ${name}. Press the row again to end it.`
}

/* Colours the words of the text by one gate, or ends it. */
export function choosePaint(cell) {
    painted = painted && painted.side === cell.side && painted.row === cell.row ? null
        : {side: cell.side, row: cell.row}
    paint()
    markRow()
    caption()
}

let paintedSpans = []

function paint() {
    paintedSpans.forEach(e => e.classList.remove('painted', ...[...e.classList].filter(c => /^p\d$/.test(c))))
    paintedSpans = []
    if (!painted) return
    const box = painted.side === 'source' ? $('mirror') : $('out')
    for (const span of box.querySelectorAll('.word')) {
        const {part, side, word} = span.at
        const first = tokensOf(part, side)[show(part).words[side][word].tokens[0]]
        const branch = first.gates?.[painted.row]
        if (branch === undefined) continue
        span.classList.add('painted', `p${branch % 8}`)
        paintedSpans.push(span)
    }
}

function markRow() {
    for (const side of ['source', 'target'])
        for (const cell of $(`weave-${side}`).querySelectorAll('i'))
            cell.classList.toggle('row', painted?.side === cell.side && painted.row === cell.row)
}
