// engine.js - the translator in WebAssembly, as one synchronous object: used by worker.js and by tests.
// It reads structs of ramus.h as they lie in memory; the assertions in exports.c are the places.

const STATUS = ['OK', 'BAD_ARGUMENT', 'BAD_FORMAT', 'IO', 'NO_MEMORY', 'STOPPED', 'FAILED', 'NOT_FOUND']
const NOTES = ['invalid', 'split', 'limit', 'loop', 'language', 'apart', 'number', 'doubt']
const REQUEST = 36, TRANSLATION = 48, TOKEN = 24, PAIR = 40, RANGE = 8, ERROR = 516, SESSION_OPTIONS = 24
const FACTS = ['name', 'description', 'license', 'source_language', 'target_language']

/** An error of the C library: `status` is its name there. */
export class EngineError extends Error {
    constructor(status, message) {
        super(message)
        this.status = status
    }
}

const encoder = new TextEncoder(), decoder = new TextDecoder('utf-8', {ignoreBOM: true})

/** From bytes of the UTF-8 of a text to places in its string; byte places must rise. */
function places(text) {
    let unit = 0, byte = 0
    return wanted => {
        if (wanted < byte) unit = byte = 0
        while (byte < wanted && unit < text.length) {
            const code = text.codePointAt(unit)
            unit += code > 0xFFFF ? 2 : 1
            byte += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
        }
        return unit
    }
}

export class Engine {
    /** `module`: the compiled ramus.wasm or documents.wasm. `stopped` is asked during a call: true ends it. */
    constructor(module, stopped = () => false) {
        this.sentence = () => {}
        const imports = {stopped: () => stopped() ? 1 : 0, sentence: pair => this.sentence(pair)}
        this.c = new WebAssembly.Instance(module, {ramus: imports}).exports
        this.c._initialize()
        this.model = 0
        this.sessions = new Map() // {pointer, beam} by `details`
        this.out = this.#alloc(8)
        this.error = this.#alloc(ERROR)
    }

    #view() {
        return new DataView(this.c.memory.buffer)
    }

    #word(at) {
        return this.#view().getUint32(at, true)
    }

    #bytes(at, size) {
        return new Uint8Array(this.c.memory.buffer, at, size)
    }

    #alloc(size) {
        const at = this.c.alloc(size)
        if (!at) throw new EngineError('NO_MEMORY', `not enough memory: ${size} bytes`)
        return at
    }

    #string(at) {
        if (!at) return null
        const memory = new Uint8Array(this.c.memory.buffer)
        return decoder.decode(memory.subarray(at, memory.indexOf(0, at)))
    }

    #check(status) {
        if (status) throw new EngineError(STATUS[status] ?? 'FAILED', this.#string(this.error + 4))
    }

    /** Calls body(put): put(text) is a pointer to its UTF-8 with a zero behind it; null stays 0. */
    #withStrings(body) {
        const given = []
        const put = text => {
            if (text === null || text === undefined) return {at: 0, size: 0}
            const utf8 = encoder.encode(text), at = this.#alloc(utf8.length + 1)
            given.push(at)
            this.#bytes(at, utf8.length + 1).set(utf8)
            this.#bytes(at, utf8.length + 1)[utf8.length] = 0
            return {at, size: utf8.length}
        }
        try {
            return body(put)
        } finally {
            given.forEach(at => this.c.release(at))
        }
    }

    /** Memory for a model file of `size` bytes: filled by the caller, before anything else is called. */
    reserve(size) {
        this.data = this.#alloc(size)
        this.size = size
        return this.#bytes(this.data, size)
    }

    /** Opens the model that was put into what reserve() gave. Returns what it says of itself. */
    open() {
        this.#check(this.c.ramus_model_open_memory(this.out, this.data, this.size, this.error))
        this.model = this.#word(this.out)
        const facts = {bytes: this.size, row: this.#string(this.c.row())}
        for (const key of FACTS)
            facts[key] = this.#withStrings(put => this.#string(this.c.ramus_model_info(this.model, put(key).at)))
        return facts
    }

    /** Opens the model of another engine, whose memory stays as it is. */
    openAs(other) {
        this.reserve(other.size).set(other.#bytes(other.data, other.size))
        return this.open()
    }

    /** Frees the model. */
    close() {
        for (const {pointer} of this.sessions.values()) this.c.ramus_session_destroy(pointer)
        this.sessions.clear()
        this.c.ramus_model_close(this.model)
        if (this.data) this.c.release(this.data)
        this.model = this.data = 0
    }

    /** Bytes of memory in use by the WebAssembly instance. */
    get memory() {
        return this.c.memory.buffer.byteLength
    }

    #session(details, beam) {
        const old = this.sessions.get(details)
        if (old && old.beam >= beam) return old.pointer
        if (old) this.c.ramus_session_destroy(old.pointer)
        this.sessions.delete(details)
        const options = this.#alloc(SESSION_OPTIONS), view = this.#view()
        this.#bytes(options, SESSION_OPTIONS).fill(0)
        view.setUint32(options, SESSION_OPTIONS, true)
        view.setInt32(options + 4, Math.max(beam, 4), true)
        view.setUint8(options + 20, details ? 1 : 0)
        const status = this.c.ramus_session_create(this.out, this.model, options, this.error)
        this.c.release(options)
        this.#check(status)
        const pointer = this.#word(this.out)
        this.sessions.set(details, {pointer, beam: Math.max(beam, 4)})
        return pointer
    }

    /** A glossary as a pointer, or 0; the caller closes it. */
    #terms({glossary, keep = []}, put) {
        if (glossary === undefined && keep.length === 0) return 0
        const text = put(glossary ?? '')
        this.#check(this.c.ramus_terms_open_memory(this.out, text.at, text.size, this.error))
        const terms = this.#word(this.out)
        try {
            for (const regex of keep) this.#check(this.c.ramus_terms_keep(terms, put(regex).at, this.error))
        } catch (error) {
            this.c.ramus_terms_close(terms)
            throw error
        }
        return terms
    }

    /**
     * Translates a text. options: {beam, nBest, prefix, wholeLines, format, columns, unprotected, glossary,
     * keep, scores, details, onSentence}. scores false: greedy leaves them out and is faster.
     * onSentence({source: [start, end], text}) is told of each sentence.
     */
    translate(text, options = {}) {
        const {beam = 4, nBest = 1, scores = true, details = false, onSentence} = options
        const session = this.#session(details, beam)
        return this.#withStrings(put => {
            const terms = this.#terms(options, put), source = put(text)
            const request = this.#alloc(REQUEST), out = this.#alloc(TRANSLATION * Math.max(nBest, 1))
            const words = [source.at, source.size, beam, nBest, 0, put(options.prefix).at, put(options.format).at,
                put(options.columns).at, terms]
            const view = this.#view()
            words.forEach((word, i) => view.setUint32(request + 4 * i, word, true))
            const flags = [options.wholeLines, options.unprotected, scores, onSentence]
            flags.forEach((flag, i) => view.setUint8(request + 16 + i, flag ? 1 : 0))
            const unit = places(text)
            if (onSentence) this.sentence = pair => onSentence(this.#told(pair, source, unit))
            try {
                this.#check(this.c.translate(session, request, out, this.error))
                return details ? this.#detailed(session, out, nBest, text, source) : this.#plain(out)
            } finally {
                this.sentence = () => {}
                if (terms) this.c.ramus_terms_close(terms)
                this.c.release(request)
                this.c.release(out)
            }
        })
    }

    /** A sentence while it is told; its place is null where a document was read. */
    #told(pair, source, unit) {
        const [at, size, target, targetSize] = [4, 8, 12, 16].map(field => this.#word(pair + field))
        const within = at >= source.at && at + size <= source.at + source.size
        return {
            source: within ? [unit(at - source.at), unit(at - source.at + size)] : null,
            text: decoder.decode(this.#bytes(target, targetSize)),
        }
    }

    #notes(bits) {
        return NOTES.filter((_, i) => bits & 1 << i)
    }

    #text(out) {
        return decoder.decode(this.#bytes(this.#word(out), this.#word(out + 4)))
    }

    #plain(out) {
        const view = this.#view()
        return {
            text: this.#text(out),
            score: view.getFloat64(out + 8, true),
            logProb: view.getFloat64(out + 16, true),
            notes: this.#notes(this.#word(out + 28)),
        }
    }

    #tokens(session, at, n, unit, target) {
        const ranges = n ? this.c.ramus_session_ranges(session, at) : 0, tokens = [], view = this.#view()
        for (let i = 0; i < n; i++, at += TOKEN) {
            const gates = this.#word(at + 16), count = this.#word(at + 20)
            const token = {piece: this.#string(this.#word(at))}
            if (ranges) {
                const start = this.#word(ranges + RANGE * i), size = this.#word(ranges + RANGE * i + 4)
                token.start = unit(start)
                token.end = unit(start + size)
            }
            if (target) {
                token.logProb = view.getFloat32(at + 8, true)
                token.source = view.getInt32(at + 12, true)
            }
            token.gates = gates ? [...new Int32Array(this.c.memory.buffer, gates, count)] : []
            tokens.push(token)
        }
        return tokens
    }

    #sentences(session, out, result, text, source) {
        const n = this.c.ramus_session_sentences(session, 0, this.out), first = this.#word(this.out)
        const view = this.#view(), from = places(text), to = places(result), target = this.#word(out)
        const range = (unit, base, limit, at, size) =>
            at >= base && at + size <= base + limit ? [unit(at - base), unit(at - base + size)] : null
        return Array.from({length: n}, (_, i) => {
            const pair = first + PAIR * i
            return {
                source: range(from, source.at, source.size, this.#word(pair + 4), this.#word(pair + 8)),
                target: range(to, target, this.#word(out + 4), this.#word(pair + 12), this.#word(pair + 16)),
                logProb: view.getFloat64(pair + 24, true),
                notes: this.#notes(this.#word(pair + 32)),
            }
        })
    }

    #detailed(session, out, nBest, text, source) {
        const result = this.#plain(out), alternatives = []
        for (let j = 0; nBest > 1 && j < nBest && this.#word(out + TRANSLATION * j); j++) {
            const {text, score} = this.#plain(out + TRANSLATION * j)
            alternatives.push({text, score})
        }
        return {
            ...result,
            sentences: this.#sentences(session, out, result.text, text, source),
            source: this.#tokens(session, this.#word(out + 40), this.#word(out + 32), places(text), false),
            target: this.#tokens(session, this.#word(out + 44), this.#word(out + 36), places(result.text), true),
            alternatives,
        }
    }

    /** [{detectedLanguage, confidence}], the last one "und". Needs no model. */
    detect(text) {
        return this.#withStrings(put => {
            const {at, size} = put(text)
            const language = this.#string(this.c.ramus_detect_language(at, size, this.out))
            const certainty = this.#view().getFloat64(this.out, true)
            if (!language) return [{detectedLanguage: 'und', confidence: 1}]
            return [{detectedLanguage: language, confidence: certainty},
                {detectedLanguage: 'und', confidence: 1 - certainty}]
        })
    }

    /** Names of the formats of documents. */
    formats() {
        const names = []
        for (let i = 0, at; (at = this.c.ramus_format_name(i)); i++) names.push(this.#string(at))
        return names
    }

    /** Sentences of a text as [start, end]. Needs no model. */
    splitSentences(text, language) {
        return this.#withStrings(put => {
            const {at, size} = put(text), tag = put(language).at, unit = places(text)
            const n = this.c.ramus_split_sentences(at, size, tag, 0, 0)
            const ranges = this.#alloc(RANGE * n + 1)
            this.c.ramus_split_sentences(at, size, tag, ranges, n)
            const sentences = Array.from({length: n}, (_, i) => {
                const start = this.#word(ranges + RANGE * i)
                return [unit(start), unit(start + this.#word(ranges + RANGE * i + 4))]
            })
            this.c.release(ranges)
            return sentences
        })
    }

    get version() {
        return this.#string(this.c.ramus_version())
    }
}
