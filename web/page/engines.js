/* engines.js - two engines with one face: the model in a worker of this page, and the server that
 * the page came from.
 *
 *   name, models: [{from, to, bytes}]
 *   details(text, {from, to, ...options}) -> the translation with places in UTF-16
 *   document(text, {from, to, format, signal}, progress) -> {text, notes}
 *   detect(text) -> {language, confidence}
 *   facts(from, to) -> what is known of the model
 * `on.progress(part)` is told how much of a model has arrived. */
import {LanguageDetector, Translator, models} from './ramus.js'

export async function deviceEngine(on) {
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
        name: 'device', models: await models(),
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

    async function post(path, body, signal) {
        const reply = await fetch(`${base}/v1/${path}`, {method: 'POST', signal,
            headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body)})
        if (!reply.ok) throw new Error((await reply.json().catch(() => ({}))).error ?? reply.statusText)
        return reply
    }
    const most = (info.limits?.alternatives ?? 0) + 1

    return {
        name: 'server', models: info.models,
        async details(text, {beam, nBest = 1, prefix, wholeLines, from, to}) {
            const n = Math.min(nBest, most)
            const r = await (await post('translate', {text, from, to, prefix, whole_lines: wholeLines, details: true,
                n_best: n, beam: beam && Math.min(beam, most)})).json()
            const source = placesIn(text), target = placesIn(r.text)
            const range = (place, [start, end]) => [place(start), place(end)]
            const piece = (piece, [start, end], place, gates) => ({piece, start: place(start), end: place(end), gates})
            return {text: r.text, score: r.score, logProb: r.log_prob, notes: r.notes, ms: r.ms,
                sentences: r.pairs.map(s => ({source: range(source, s.source), target: range(target, s.target), notes: s.notes})),
                source: r.source_tokens.map((t, i) => piece(t, r.source_places[i], source, r.source_gates[i])),
                target: r.tokens.map((t, i) => ({...piece(t, r.places[i], target, r.gates[i]),
                    logProb: r.log_probs[i], source: r.alignment[i]})),
                alternatives: r.n_best ?? []}
        },
        async document(text, {from, to, format, signal}, progress) {
            const reply = await post('translate', {text, from, to, format, stream: true}, signal)
            const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader()
            let rest = '', n = 0
            for (;;) {
                const {done, value} = await reader.read()
                const lines = (rest + (value ?? '')).split('\n')
                rest = lines.pop()
                for (const line of lines) {
                    const said = JSON.parse(line)
                    if (said.error) throw new Error(said.error)
                    if ('score' in said) return said
                    progress(++n)
                }
                if (done) throw new Error('The server broke off.')
            }
        },
        async detect(text) {
            const {language, certainty} = await (await post('detect', {text})).json()
            return {language, confidence: certainty}
        },
        facts: async (from, to) => ({row: 'server', version: `ramus ${info.version}`,
            ...info.models.find(m => m.from === from && m.to === to)}),
    }
}
