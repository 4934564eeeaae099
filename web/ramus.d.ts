/** Translation on the device, in the shape of the W3C Translator API. */

export interface Model {
    /** Where the file is, seen from the list. */
    file: string
    /** Languages as BCP 47 tags. */
    from: string
    to: string
    /** Size of the file: makes room for it before it comes, and tells an old copy. */
    bytes?: number
    name?: string
}

/** Where things are; each is beside ramus.js unless it is given. */
export function configure(settings: {
    /** URL of a models.json, or such a list itself. */
    models?: URL | string | Model[]
    wasm?: URL | string
    /** What takes the place of `wasm` at the first document, glossary or expression. */
    documents?: URL | string
    /** false: no worker, translate on the thread that asks. */
    worker?: URL | string | false
}): void

/** The models of the list. */
export function models(): Promise<(Model & {url: string})[]>

export interface Languages {
    sourceLanguage: string
    targetLanguage: string
}

export type Availability = 'unavailable' | 'downloadable' | 'downloading' | 'available'

/** loaded rises from 0 to 1; total is 1. */
export interface DownloadProgressEvent extends Event {
    readonly loaded: number
    readonly total: 1
}

export interface CreateMonitor extends EventTarget {
    ondownloadprogress: ((event: DownloadProgressEvent) => void) | null
    addEventListener(type: 'downloadprogress', listener: (event: DownloadProgressEvent) => void): void
    addEventListener(type: string, listener: EventListenerOrEventListenerObject | null): void
}

export interface CreateOptions {
    /** Told of the download. */
    monitor?: (monitor: CreateMonitor) => void
    /** Ends the creation, and later the translator. */
    signal?: AbortSignal
}

export interface TranslateOptions {
    signal?: AbortSignal
    /** Hypotheses of the search; 1: greedy, which is two to three times faster [4]. */
    beam?: number
    /** What the translation of every sentence begins with. */
    prefix?: string
    /** The text is one sentence. */
    wholeLines?: boolean
    /** The text is a document: "text", "html", "markdown", "srt" .., see formats(). */
    format?: string
    /** Of "csv" and "tsv": "2", "1,3" or names of the first line. */
    columns?: string
    /** Addresses, placeholders, units .. are words like others. */
    unprotected?: boolean
    /** Lines of source, tab, target. */
    glossary?: string
    /** POSIX extended regular expressions of what is not translated; of a RegExp its source counts. */
    keep?: (RegExp | string)[]
}

export type Note = 'invalid' | 'split' | 'limit' | 'loop' | 'language' | 'apart' | 'number' | 'doubt'

/** Places are UTF-16 code units, as String.slice() takes them. */
export type Place = [start: number, end: number]

export interface Sentence {
    /** null where the text is a document. */
    source: Place | null
    target: Place | null
    logProb: number
    notes: Note[]
}

export interface SourceToken {
    /** U+2581 stands for a space. */
    piece: string
    start: number
    end: number
    /** The branch taken in each routed sublayer. */
    gates: number[]
}

export interface TargetToken extends SourceToken {
    logProb: number
    /** The source token it comes from, or -1. */
    source: number
}

export interface Detailed {
    text: string
    /** logProb / ((5 + tokens) / 6)^0.6; of several sentences the sum. */
    score: number
    logProb: number
    notes: Note[]
    sentences: Sentence[]
    source: SourceToken[]
    target: TargetToken[]
    /** With nBest > 1, best first. */
    alternatives: {text: string, score: number}[]
    /** Time that it took. */
    ms: number
}

export interface ModelFacts {
    name: string | null
    description: string | null
    license: string | null
    from: string | null
    to: string | null
    bytes: number
    /** URL of the file. */
    file: string
    /** The row of kernels in use: "simd128". */
    row: string
}

export class Translator {
    private constructor()
    static availability(languages: Languages): Promise<Availability>
    static create(options: Languages & CreateOptions): Promise<Translator>
    readonly sourceLanguage: string
    readonly targetLanguage: string
    readonly inputQuota: number
    readonly model: ModelFacts
    translate(text: string, options?: TranslateOptions): Promise<string>
    /** A chunk for each sentence; of a document one in all. */
    translateStreaming(text: string, options?: TranslateOptions): ReadableStream<string>
    /** nBest: translations, at most beam. */
    translateDetailed(text: string, options?: TranslateOptions & {nBest?: number}): Promise<Detailed>
    /** A document of options.format, without details. onSentence hears of each sentence; `source` is its place in plain text. */
    translateDocument(text: string, options?: TranslateOptions & {onSentence?(sentence: {source: Place | null, text: string}): void}):
        Promise<{text: string, score: number, logProb: number, notes: Note[], ms: number}>
    measureInputUsage(text: string, options?: {signal?: AbortSignal}): Promise<number>
    formats(): Promise<string[]>
    /** Rejects what runs and what waits. */
    destroy(): void
}

export class LanguageDetector {
    private constructor()
    static availability(): Promise<Availability>
    static create(options?: CreateOptions): Promise<LanguageDetector>
    readonly inputQuota: number
    /** The likeliest first; the last entry is "und". */
    detect(text: string, options?: {signal?: AbortSignal}): Promise<{detectedLanguage: string, confidence: number}[]>
    /** Sentences of a text; the language decides about abbreviations. */
    splitSentences(text: string, language?: string, options?: {signal?: AbortSignal}): Promise<Place[]>
    measureInputUsage(text: string): Promise<number>
    destroy(): void
}
