// ramus.js - translation on the device in the shape of the W3C Translator API, for browsers and node.
// https://github.com/webmachinelearning/translation-api

const here = import.meta.url
const inNode = typeof process === 'object' && Boolean(process.versions?.node)
const settings = {models: new URL('models.json', here), wasm: new URL('ramus.wasm', here),
    documents: new URL('documents.wasm', here), worker: new URL('worker.js', here)}
let listed = null // promise of the list of models
const loading = new Set() // URLs of models that are being loaded
const loaded = new Set() // of models that were

/** Where models, ramus.wasm, documents.wasm and worker.js are. models: the URL of a models.json, or such a list itself. */
export function configure(given) {
    for (const key of ['models', 'wasm', 'documents', 'worker'])
        if (given[key] !== undefined) settings[key] = given[key]
    if (given.models !== undefined) listed = null
}

const base = () => globalThis.document?.baseURI ?? globalThis.location?.href ?? here
const absolute = url => new URL(url, base())

/** A DOMException; of QuotaExceededError with what was requested. */
function failure(name, message, fields = {}) {
    if (name === 'TypeError') return new TypeError(message)
    return Object.assign(new DOMException(message, name), fields)
}

async function readText(url) {
    if (inNode && url.protocol === 'file:') return (await import('node:fs/promises')).readFile(url, 'utf8')
    const response = await fetch(url)
    if (!response.ok) throw new Error(`status ${response.status}`)
    return response.text()
}

async function readList() {
    const given = settings.models, from = Array.isArray(given) ? new URL(base()) : absolute(given)
    const list = Array.isArray(given) ? given : JSON.parse(await readText(from).catch(error => {
        throw failure('NetworkError', `${from}: ${error.message}`)
    }))
    return list.map(model => ({...model, url: new URL(model.file, from).href}))
}

/** The models that there are: [{file, from, to, bytes, name, url}]. */
export function models() {
    listed ??= readList()
    listed.catch(() => { listed = null })
    return listed
}

/** "de-AT" -> "de"; a tag that is none is a RangeError, as in Intl. */
const primary = tag => new Intl.Locale(tag).language

async function findModel({sourceLanguage, targetLanguage}) {
    if (!sourceLanguage || !targetLanguage) throw new TypeError('sourceLanguage and targetLanguage are needed')
    const from = primary(sourceLanguage), to = primary(targetLanguage)
    return (await models()).find(model => model.from === from && model.to === to)
}

async function isStored(url) {
    if (loaded.has(url)) return true
    if (inNode && url.startsWith('file:')) {
        const {access} = await import('node:fs/promises')
        return access(new URL(url)).then(() => true, () => false)
    }
    return Boolean(await globalThis.caches?.match(url).catch(() => undefined))
}

/** Calls take(message) with what the other side sends. */
async function connect(take, fail) {
    if (settings.worker === false) {
        const {serve} = await import('./worker.js')
        const give = serve(message => queueMicrotask(() => take(message)))
        return {post: give, close: () => {}, hold: () => {}}
    }
    const url = absolute(settings.worker)
    if (globalThis.Worker) {
        const worker = new globalThis.Worker(url, {type: 'module', name: 'ramus'})
        worker.onmessage = ({data}) => take(data)
        worker.onerror = event => fail(event.message || `${url} does not load`)
        return {post: message => worker.postMessage(message), close: () => worker.terminate(), hold: () => {}}
    }
    const {Worker} = await import('node:worker_threads')
    const worker = new Worker(url, {workerData: {ramus: true}})
    worker.on('message', take)
    worker.on('error', error => fail(error.message))
    worker.unref() // an idle translator does not keep node from its end
    return {post: message => worker.postMessage(message), close: () => worker.terminate(),
        hold: busy => busy ? worker.ref() : worker.unref()}
}

const PATIENCE = 250 // ms that a worker without shared memory has to end a call that nobody waits for

/** Calls to a worker, one at a time. A worker that cannot be told to stop is replaced. */
class Line {
    #waiting = []
    #current = null
    #other = null // the worker, once it is connected
    #opening
    #ended = null // why no call is possible any more
    #id = 0
    #flag = null

    constructor(opening) {
        this.#opening = opening
        const shared = globalThis.SharedArrayBuffer && settings.worker !== false
        if (shared) this.#flag = new Int32Array(new SharedArrayBuffer(4))
    }

    /** on: {progress, sentence}, told on the way. */
    call(method, args, {signal, ...on} = {}) {
        if (this.#ended) return Promise.reject(this.#ended)
        if (signal?.aborted) return Promise.reject(signal.reason)
        return new Promise((resolve, reject) => {
            const call = {id: ++this.#id, method, args, on, resolve, reject}
            const abort = () => this.#abort(call, signal.reason)
            signal?.addEventListener('abort', abort, {once: true})
            call.end = () => signal?.removeEventListener('abort', abort)
            this.#waiting.push(call)
            this.#next()
        })
    }

    async #connect() {
        try {
            this.#other = await connect(message => this.#take(message), message => this.#lost(message))
        } catch (error) {
            this.#lost(error.message)
        }
        if (this.#ended) this.#other?.close()
    }

    async #next() {
        if (this.#current || this.#waiting.length === 0 || this.#ended) return
        const call = this.#current = this.#waiting.shift()
        if (!this.#other) await this.#connect()
        if (this.#ended || this.#current !== call) return
        this.#other.hold(true)
        const args = call.method === 'open' ? {...call.args, stop: this.#flag} : call.args
        this.#other.post({id: call.id, method: call.method, args})
    }

    #take({id, progress, sentence, result, error}) {
        const call = this.#current
        if (call?.id !== id || this.#ended) return
        if (progress !== undefined) return call.on.progress?.(progress)
        if (sentence !== undefined) return call.on.sentence?.(sentence)
        this.#finish(call)
        if (error) call.reject(failure(error.name, error.message,
            error.name === 'QuotaExceededError' ? {requested: call.args.text?.length ?? 0, quota: Infinity} : {}))
        else call.resolve(result)
        if (error?.broken) this.#replace()
        this.#next()
    }

    #finish(call) {
        clearTimeout(call.timer)
        call.end()
        this.#current = null
        this.#other?.hold(this.#waiting.length > 0)
    }

    /** The promise is rejected at once; the worker is told, or gets a moment, or is replaced. */
    #abort(call, reason) {
        call.reject(reason)
        call.end()
        call.on = {}
        const at = this.#waiting.indexOf(call)
        if (at >= 0) this.#waiting.splice(at, 1)
        if (call !== this.#current) return
        if (this.#flag) Atomics.store(this.#flag, 0, call.id)
        if (call.method === 'open') this.destroy(reason)
        else if (!this.#flag) call.timer = setTimeout(() => {
            this.#finish(call)
            this.#replace()
            this.#next()
        }, PATIENCE)
    }

    /** A new worker, which opens the model again before it does what waits. */
    #replace() {
        this.#other?.close()
        this.#other = null
        const noop = () => {}
        this.#waiting.unshift({id: ++this.#id, method: 'open', args: this.#opening, on: {}, resolve: noop,
            reject: error => this.destroy(error), end: noop})
    }

    #lost(message) {
        this.destroy(failure('OperationError', message))
    }

    destroy(reason) {
        if (this.#ended) return
        this.#ended = reason
        for (const call of [this.#current, ...this.#waiting]) {
            call?.end()
            clearTimeout(call?.timer)
            call?.reject(reason)
        }
        this.#waiting = []
        this.#other?.close()
    }
}

class DownloadProgress extends Event {
    constructor(value) {
        super('downloadprogress')
        this.loaded = value
        this.total = 1
        this.lengthComputable = true
    }
}

/** What create() hands to `monitor`. Progress begins with 0 and ends with 1, in steps that can be seen. */
class Monitor extends EventTarget {
    ondownloadprogress = null
    #last = -1

    tell(value) {
        if (value < 1 ? value < this.#last + 0.002 : this.#last === 1) return
        this.#last = value
        const event = new DownloadProgress(value)
        this.ondownloadprogress?.call(this, event)
        this.dispatchEvent(event)
    }
}

const guard = Symbol('made by create()')
const languages = options => `${options?.sourceLanguage} to ${options?.targetLanguage}`

const TEXT_ALONE = {options: {scores: false}} // greedy is faster then

/** Options of a call, without what is not the engine's. */
function engineOptions({signal, ...options} = {}) {
    const keep = options.keep?.map(regex => regex instanceof RegExp ? regex.source : String(regex))
    return {...options, ...keep && {keep}}
}

export class Translator {
    #line
    #controller = new AbortController()

    constructor(key, line, options, model) {
        if (key !== guard) throw new TypeError('use Translator.create()')
        this.#line = line
        this.sourceLanguage = options.sourceLanguage
        this.targetLanguage = options.targetLanguage
        this.inputQuota = Infinity
        this.model = model
    }

    /** "unavailable", "downloadable", "downloading" or "available". */
    static async availability(options) {
        const model = await findModel(options)
        if (!model) return 'unavailable'
        if (loading.has(model.url)) return 'downloading'
        return await isStored(model.url) ? 'available' : 'downloadable'
    }

    static async create(options = {}) {
        const {signal, monitor} = options
        signal?.throwIfAborted()
        const model = await findModel(options)
        if (!model) throw failure('NotSupportedError', `no model translates ${languages(options)}`)
        signal?.throwIfAborted()
        const watch = new Monitor()
        monitor?.(watch)
        const opening = {wasm: absolute(settings.wasm).href, documents: absolute(settings.documents).href,
            model: {url: model.url, bytes: model.bytes}}
        const line = new Line(opening)
        loading.add(model.url)
        try {
            watch.tell(0)
            const facts = await line.call('open', opening, {signal, progress: value => watch.tell(value)})
            watch.tell(1)
            loaded.add(model.url)
            const {source_language, target_language, ...rest} = facts
            const about = {...rest, from: source_language, to: target_language, file: model.url}
            const made = new Translator(guard, line, options, about)
            signal?.addEventListener('abort', () => made.destroy(signal.reason), {once: true})
            return made
        } catch (error) {
            line.destroy(error)
            throw error
        } finally {
            loading.delete(model.url)
        }
    }

    async #translate(text, options, extra = {}) {
        const args = {text: String(text), options: {...engineOptions(options), ...extra.options}, stream: extra.stream}
        return this.#line.call('translate', args, {signal: options?.signal, sentence: extra.sentence})
    }

    async translate(text, options = {}) {
        return (await this.#translate(text, options, TEXT_ALONE)).text
    }

    async translateDetailed(text, options = {}) {
        return this.#translate(text, options, {options: {details: true}})
    }

    /** A whole document of options.format: {text, score, notes}. onSentence({source, text}) hears of each sentence. */
    async translateDocument(text, {onSentence, ...options} = {}) {
        return this.#translate(text, options, {stream: Boolean(onSentence), sentence: onSentence})
    }

    /** One chunk a sentence, with the white space before it; of a document that is not plain text, one in all. */
    translateStreaming(text, options = {}) {
        text = String(text)
        const stop = new AbortController()
        const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal
        return new ReadableStream({
            start: async controller => {
                const sent = new Sent(text, chunk => controller.enqueue(chunk))
                const stream = options.format === undefined && !options.wholeLines
                try {
                    const result = await this.#translate(text, {...options, signal},
                        {...TEXT_ALONE, stream, sentence: pair => sent.add(pair)})
                    sent.end(result.text)
                    controller.close()
                } catch (error) {
                    controller.error(error)
                }
            },
            cancel: reason => stop.abort(reason),
        })
    }

    /** Input is split into sentences: there is no limit, and nothing is used up. */
    async measureInputUsage(_text, {signal} = {}) {
        this.#controller.signal.throwIfAborted()
        signal?.throwIfAborted()
        return 0
    }

    /** Names of the formats of documents that `format` may be. */
    async formats() {
        return this.#line.call('formats', {})
    }

    destroy(reason = failure('AbortError', 'the translator was destroyed')) {
        this.#controller.abort(reason)
        this.#line.destroy(reason)
    }
}

/** Chunks whose concatenation is the whole translation: what stands between sentences is copied from the source. */
class Sent {
    #at = 0
    #sent = ''
    #known = true // what stands before the next sentence

    constructor(text, give) {
        this.text = text
        this.give = chunk => {
            if (chunk) give(chunk)
            this.#sent += chunk
        }
    }

    add({source, text}) {
        const between = source && this.text.slice(this.#at, source[0])
        this.#known &&= Boolean(source) && /^\s*$/.test(between) && (this.#at === 0 || between !== '')
        if (!this.#known) return // the end has the rest
        this.give((between + text).replace(/[\r\n]/g, ' '))
        this.#at = source[1]
    }

    end(whole) {
        if (!whole.startsWith(this.#sent)) throw failure('OperationError', 'sentences are not the text')
        this.give(whole.slice(this.#sent.length))
    }
}

export class LanguageDetector {
    #line

    constructor(key, line) {
        if (key !== guard) throw new TypeError('use LanguageDetector.create()')
        this.#line = line
        this.inputQuota = Infinity
    }

    static async availability() {
        return 'available'
    }

    static async create({signal, monitor} = {}) {
        signal?.throwIfAborted()
        const watch = new Monitor()
        monitor?.(watch)
        watch.tell(0)
        const opening = {wasm: absolute(settings.wasm).href}, line = new Line(opening)
        await line.call('open', opening, {signal})
        watch.tell(1)
        const made = new LanguageDetector(guard, line)
        signal?.addEventListener('abort', () => made.destroy(signal.reason), {once: true})
        return made
    }

    async detect(text, {signal} = {}) {
        return this.#line.call('detect', {text: String(text)}, {signal})
    }

    /** Sentences of a text as [start, end]. */
    async splitSentences(text, language, {signal} = {}) {
        return this.#line.call('splitSentences', {text: String(text), language}, {signal})
    }

    async measureInputUsage() {
        return 0
    }

    destroy(reason = failure('AbortError', 'the detector was destroyed')) {
        this.#line.destroy(reason)
    }
}
