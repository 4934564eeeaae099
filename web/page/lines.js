/* lines.js - the text as lines of sentences, of which an edit keeps all that it did not touch.
 *
 * A part is a sentence, or a stretch of text that was not translated yet:
 *   {gap, text, done, target, targetGap, source: [token], tokens: [token], notes, chosen}
 * `gap` is the white space before it in the source, `targetGap` that in the translation. Places of
 * tokens count from the beginning of their part. */

const wordEnd = /^\s*\S+\s/ // what must be equal behind a part, so that the same end is found

const textOf = part => part.gap + part.text

/* The parts of `line` that `text` begins with, and those that it ends with. */
function kept(line, text) {
    const old = line.parts.map(textOf).join('') + line.tail
    let first = 0, last = 0, same = 0
    while (same < text.length && same < old.length && text[same] === old[same]) same++
    let end = 0
    for (const part of line.parts) {
        end += textOf(part).length
        if (!part.done || end > same || !wordEnd.test(old.slice(end, same))) break
        first++
    }
    let back = 0
    const most = Math.min(text.length, old.length) - same
    while (back < most && text.at(-1 - back) === old.at(-1 - back)) back++
    let begin = line.tail.length
    for (const part of [...line.parts].reverse()) {
        begin += part.text.length // the gap belongs to what comes before
        const before = old.slice(old.length - back, Math.max(0, old.length - begin))
        if (!part.done || begin > back || !/\s\S+\s+$/.test(before)) break
        begin += part.gap.length
        last++
    }
    return [first, Math.min(last, line.parts.length - first)]
}

const join = parts => parts.map(p => p.targetGap + p.target).join('')

/* A stretch to translate, in place of the parts `old`. */
function waiting(text, old) {
    const gap = text.match(/^\s*/)[0]
    return {gap, text: text.slice(gap.length), done: false, target: join(old).trim(), targetGap: gap,
            source: [], tokens: [], notes: []}
}

function edited(line, text) {
    const [first, last] = kept(line, text)
    const before = line.parts.slice(0, first), after = line.parts.slice(line.parts.length - last)
    const begin = before.map(textOf).join('').length
    const end = text.trimEnd().length - after.map(textOf).join('').length
    const middle = text.slice(begin, Math.max(begin, end))
    const parts = [...before]
    if (middle.trim()) parts.push(waiting(middle, line.parts.slice(first, line.parts.length - last)))
    else if (after.length) after[0] = {...after[0], gap: middle + after[0].gap, targetGap: middle + after[0].gap}
    return {text, parts: [...parts, ...after], tail: text.slice(text.trimEnd().length)}
}

const empty = {text: '', parts: [], tail: ''}

/* The lines of `text`; what they share with `old` ones is taken from there. */
export function linesOf(text, old = []) {
    const texts = text.split('\n')
    let same = 0, back = 0
    while (same < texts.length && same < old.length && texts[same] === old[same].text) same++
    const most = Math.min(texts.length, old.length) - same
    while (back < most && texts.at(-1 - back) === old.at(-1 - back).text) back++
    return texts.map((line, i) => {
        if (i < same) return old[i]
        if (i >= texts.length - back) return old[i - texts.length + old.length]
        return edited(i < old.length - back ? old[i] : empty, line)
    })
}

/* The sentences of `part`, of which `d` is the translation with details. */
export function sentencesOf(part, d) {
    const whole = {source: [0, part.text.length], target: [0, d.text.length], notes: d.notes}
    const all = d.sentences.length && d.sentences.every(s => s.source && s.target) ? d.sentences : [whole]
    let from = 0, to = 0
    const cut = (tokens, [start, end]) => tokens.map((t, i) => ({...t, i})).filter(
        t => t.start >= start && t.end <= end && t.start >= 0)
    return all.map((s, i) => {
        const sourceEnd = i + 1 < all.length ? s.source[1] : part.text.length
        const targetEnd = i + 1 < all.length ? s.target[1] : d.text.length
        const source = cut(d.source, s.source), n = new Map(source.map((t, k) => [t.i, k]))
        const [a, b] = [Math.max(from, s.source[0]), Math.max(to, s.target[0])]
        const begin = i ? a : 0, targetBegin = i ? b : 0
        const made = {
            gap: i ? part.text.slice(from, begin) : part.gap,
            text: part.text.slice(begin, sourceEnd),
            targetGap: i ? d.text.slice(to, targetBegin) : part.targetGap,
            target: d.text.slice(targetBegin, targetEnd),
            done: true, notes: s.notes, chosen: part.chosen,
            source: source.map(t => ({...t, start: t.start - begin, end: t.end - begin})),
            tokens: cut(d.target, s.target).map(t => ({...t, start: t.start - targetBegin,
                end: t.end - targetBegin, source: n.get(t.source) ?? -1}))}
        from = sourceEnd
        to = targetEnd
        return made
    })
}

/* The same lines, all to be translated; what there was stays until then. */
export const stale = lines => lines.map(line => ({...line,
    parts: line.parts.length ? [waiting(line.text.trimEnd(), line.parts)] : []}))

/* Puts the parts `made` in the place of `part`, wherever it is. */
export function replace(lines, part, made) {
    for (const line of lines) {
        const at = line.parts.indexOf(part)
        if (at >= 0) {
            line.parts.splice(at, 1, ...made)
            return
        }
    }
}

/* The words of one side of a part: {start, end, tokens: [index]}. Pieces without a space between
 * them are one word, signs are words of their own. */
export function wordsOf(text, tokens) {
    const words = [], letters = /[\p{L}\p{N}\p{M}]/u
    tokens.forEach((t, i) => {
        const last = words.at(-1), piece = text.slice(t.start, t.end)
        if (t.end <= t.start) return
        if (last && t.start <= last.end && letters.test(piece) && letters.test(text.slice(last.start, last.end))) {
            last.end = Math.max(t.end, last.end)
            last.tokens.push(i)
        } else {
            words.push({start: t.start, end: t.end, tokens: [i]})
        }
    })
    return words
}

/* Which words of the source a word of the translation comes from. Only its first piece is asked:
 * the alignment of later ones is right less often. */
export function linksOf(part) {
    const source = wordsOf(part.text, part.source), target = wordsOf(part.target, part.tokens)
    return target.map(word => source.findIndex(s => s.tokens.includes(part.tokens[word.tokens[0]].source)))
}

export const translation = lines => lines.map(l => join(l.parts) + l.tail).join('\n')
