// Compiled only: what a program may write, and what it may not.
import {configure, Detailed, LanguageDetector, models, Translator} from '../../build/web/package/ramus.js'

configure({models: [{file: 'en-de.gguf', from: 'en', to: 'de', bytes: 1}], wasm: new URL('file:///a'), worker: false})
const available: 'unavailable' | 'downloadable' | 'downloading' | 'available' =
    await Translator.availability({sourceLanguage: 'en', targetLanguage: 'de'})
const translator = await Translator.create({sourceLanguage: 'en', targetLanguage: 'de',
    signal: new AbortController().signal,
    monitor(m) { m.addEventListener('downloadprogress', event => console.log(event.loaded / event.total)) }})
const text: string = await translator.translate('a', {beam: 1, format: 'html', keep: [/x/, 'y'], glossary: 'a\tb'})
const stream: ReadableStream<string> = translator.translateStreaming('a')
const detailed: Detailed = await translator.translateDetailed('a', {nBest: 2})
const {notes} = await translator.translateDocument('a', {format: 'html', onSentence: s => console.log(s.text, s.source?.[0])})
const place: [number, number] | null = detailed.sentences[0]!.target
const note: 'invalid' | 'split' | 'limit' | 'loop' | 'language' | 'apart' | 'number' | 'doubt' | undefined = detailed.notes[0]
const guesses: {detectedLanguage: string, confidence: number}[] = await (await LanguageDetector.create()).detect('a')
const url: string = (await models())[0]!.url
translator.destroy()
console.log(available, text, stream, place, note, notes, guesses, url)

// @ts-expect-error: both languages are needed
await Translator.create({sourceLanguage: 'en'})
// @ts-expect-error: a beam is a number
await translator.translate('a', {beam: '4'})
// @ts-expect-error: there is no such option
await translator.translate('a', {bream: 4})
