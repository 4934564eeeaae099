// worker.js - an engine behind messages: a worker of a browser or of node; ramus.js calls serve() itself where
// there shall be no worker. A message has an id and a method; answers have the id and one of progress, sentence,
// result, error.
import {Engine} from './engine.js'

const NAMES = {BAD_ARGUMENT: 'TypeError', BAD_FORMAT: 'DataError', NO_MEMORY: 'QuotaExceededError',
    STOPPED: 'AbortError'}
const inNode = typeof process === 'object' && Boolean(process.versions?.node)

function failure(name, message) {
    return Object.assign(new Error(message), {name})
}

/** The bytes of a file: onSize(n) gives the array that they go into. `expected`: how many there are, if that is known. */
async function fetchInto(url, expected, onSize, onProgress) {
    if (inNode && url.startsWith('file:')) {
        const {readFile} = await import('node:fs/promises')
        const bytes = await readFile(new URL(url)).catch(error => {
            throw failure('NetworkError', error.message)
        })
        onSize(bytes.length).set(bytes)
        onProgress(bytes.length, bytes.length)
        return
    }
    const cache = expected ? await open() : undefined, kept = await cache?.match(url)
    const fresh = Number(kept?.headers.get('content-length')) !== expected || !kept
    const response = fresh ? await fetch(url).catch(error => {
        throw failure('NetworkError', `${url}: ${error.message}`)
    }) : kept
    if (!response.ok) throw failure('NetworkError', `${url}: status ${response.status}`)
    const bytes = await readAll(response, url, expected, onSize, onProgress)
    if (fresh) keep(cache, url, bytes) // beside what follows
}

/** Chunks go where they belong as they come; a size that nobody told is only known at the end. */
async function readAll(response, url, expected, onSize, onProgress) {
    const told = response.headers.get('content-encoding') ? 0 : Number(response.headers.get('content-length'))
    const size = expected || told, chunks = []
    const into = size ? onSize(size) : null
    let loaded = 0
    try {
        for (const reader = response.body.getReader();;) {
            const {done, value} = await reader.read()
            if (done) break
            if (into && loaded + value.length > size) throw new Error(`more than ${size} bytes`)
            if (into) into.set(value, loaded)
            else chunks.push(value)
            loaded += value.length
            onProgress(loaded, size || loaded)
        }
    } catch (error) {
        throw failure('NetworkError', `${url}: ${error.message}`)
    }
    if (into && loaded < size) throw failure('NetworkError', `${url}: ${loaded} of ${size} bytes came`)
    if (into) return into
    const all = onSize(loaded)
    let at = 0
    for (const chunk of chunks) {
        all.set(chunk, at)
        at += chunk.length
    }
    return all
}

/** Models whose size is listed, and so tells a new one, are kept in the browser's cache storage, where there is one; a
 *  full disk only costs the next download. */
async function open() {
    return globalThis.caches?.open('ramus-models').catch(() => undefined)
}

async function keep(cache, url, bytes) {
    const headers = {'content-type': 'application/octet-stream', 'content-length': String(bytes.length)}
    await cache?.put(url, new Response(bytes.slice(), {headers})).catch(() => {})
}

async function compile(url) {
    let bytes
    await fetchInto(url, 0, size => bytes = new Uint8Array(size), () => {})
    return WebAssembly.compile(bytes)
}

/** Serves one engine: returns what takes messages; `send` takes answers. */
export function serve(send) {
    let engine = null, documents = null, flag = null, running = 0
    const start = async url =>
        new Engine(await compile(url), () => flag !== null && Atomics.load(flag, 0) === running)

    /** From now on the engine is the one that can do all. */
    async function withDocuments() {
        if (!documents) return
        const whole = await start(documents)
        if (engine.model) whole.openAs(engine)
        engine = whole
        documents = null
    }
    const methods = {
        async open({wasm, model, stop, ...given}, answer) {
            flag = stop ?? null
            documents = given.documents ?? null
            engine = await start(wasm)
            if (!model) return {}
            await fetchInto(model.url, model.bytes, size => engine.reserve(size), (loaded, all) =>
                answer({progress: all ? loaded / all : 1}))
            return engine.open()
        },
        async translate({text, options, stream}, answer) {
            const {format, glossary, keep} = options
            if (format !== undefined || glossary !== undefined || keep?.length) await withDocuments()
            const begin = performance.now()
            const onSentence = stream ? sentence => answer({sentence}) : undefined
            const result = engine.translate(text, {...options, onSentence})
            return {...result, ms: performance.now() - begin}
        },
        detect: ({text}) => engine.detect(text),
        async formats() {
            await withDocuments()
            return engine.formats()
        },
        splitSentences: ({text, language}) => engine.splitSentences(text, language),
    }
    return async ({id, method, args}) => {
        const answer = fields => send({id, ...fields})
        running = id
        try {
            answer({result: await methods[method](args, answer)})
        } catch (error) {
            const broken = error instanceof WebAssembly.RuntimeError // its memory may be in any state
            const name = NAMES[error.status] ?? (error.status || broken ? 'OperationError' : error.name)
            answer({error: {name, message: error.message, broken}})
        }
    }
}

if (globalThis.WorkerGlobalScope && globalThis.name === 'ramus') { // and no worker that imports this file
    const take = serve(message => globalThis.postMessage(message))
    globalThis.onmessage = ({data}) => take(data)
} else if (inNode) {
    const {parentPort, workerData} = await import('node:worker_threads')
    if (workerData?.ramus) parentPort.on('message', serve(message => parentPort.postMessage(message)))
}
