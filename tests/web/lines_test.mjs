// The text as sentences: what an edit keeps. The truth is the same text taken anew.
import assert from 'node:assert/strict'
import {test} from 'node:test'
import {linesOf, replace, sentencesOf, stale, translation, wordsOf} from '../../web/page/lines.js'

/* A translator that writes capitals and ends sentences at signs before white space. */
function capitals(text) {
    const sentences = [...text.matchAll(/(?!\s)(?:[^.!?]|[.!?](?!\s|$))*(?:[.!?](?=\s|$)|$)/g)].filter(m => m[0]).map(
        m => [m.index, m.index + m[0].trimEnd().length])
    return {text: text.toUpperCase(), notes: [], source: [], target: [],
        sentences: sentences.map(s => ({source: s, target: s, notes: []}))}
}

function finish(lines, asked = []) {
    for (let part; (part = lines.flatMap(l => l.parts).find(p => !p.done));) {
        asked.push(part.text)
        replace(lines, part, sentencesOf(part, capitals(part.text)))
    }
    return lines
}

/* Numbers without end that depend on the seed alone. */
function drawn(seed) {
    let state = seed
    return n => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0
        return Math.floor(state / 2 ** 32 * n)
    }
}

test('a text keeps every character', () => {
    for (const text of ['', ' ', '\n', 'One.', ' One.  Two! \n\n Three', 'a\tb. c', '\n\nx\n'])
        assert.equal(translation(finish(linesOf(text))), text.toUpperCase(), JSON.stringify(text))
})

test('an edit gives what the text gives when it is taken anew', t => {
    const seed = Number(process.env.SEED ?? 7), draw = drawn(seed)
    t.diagnostic(`seed ${seed}`)
    const bits = ['a', 'b', ' ', '  ', '.', '. ', '! ', '\n', 'word ', 'x. Y ', '?\n\n', ' A longer one is here. ']
    for (let round = 0; round < 200; round++) {
        let text = '', lines = linesOf('')
        for (let step = 0; step < 40; step++) {
            const at = draw(text.length + 1), end = Math.min(text.length, at + (draw(3) ? 0 : draw(12)))
            text = text.slice(0, at) + bits[draw(bits.length)] + text.slice(end)
            lines = linesOf(text, lines)
            const waiting = draw(4) === 0 // typing goes on before the translation is there
            if (!waiting) {
                finish(lines)
                assert.equal(translation(lines), text.toUpperCase())
                const anew = finish(linesOf(text)).flatMap(l => l.parts.map(p => p.text))
                assert.deepEqual(lines.flatMap(l => l.parts.map(p => p.text)), anew, JSON.stringify(text))
            }
        }
    }
})

test('an edit asks for the sentences beside it alone', () => {
    const text = 'One is here. Two is here. Three is here. Four is here. Five is here.\nA line. Another one.'
    const edits = [['Three is', 'Three was', ['Three was here.']], ['Five is here.', 'Five.', ['Five.']],
        ['A line.', 'A row.', ['A row.']], ['One is', 'One, is', ['One, is here.']]]
    for (const [old, fresh, want] of edits) {
        const asked = []
        finish(linesOf(text.replace(old, fresh), finish(linesOf(text))), asked)
        assert.ok(asked.join(' ').length <= want[0].length + 'Three is here. Four is here.'.length, asked.join('|'))
        assert.ok(asked.join(' ').includes(want[0]))
        assert.equal(asked.length, 1)
    }
})

test('stale lines wait, and show what was there', () => {
    const lines = stale(finish(linesOf('One. Two.\n\nThree.')))
    assert.equal(lines.flatMap(l => l.parts).filter(p => p.done).length, 0)
    assert.equal(translation(lines), 'ONE. TWO.\n\nTHREE.')
    assert.equal(translation(finish(lines)), 'ONE. TWO.\n\nTHREE.')
})

test('pieces without a space between them are a word', () => {
    const text = 'Das Meer.', at = (start, end) => ({start, end})
    assert.deepEqual(wordsOf(text, [at(0, 3), at(4, 6), at(6, 8), at(8, 9)]), [
        {start: 0, end: 3, tokens: [0]}, {start: 4, end: 8, tokens: [1, 2]}, {start: 8, end: 9, tokens: [3]}])
})
