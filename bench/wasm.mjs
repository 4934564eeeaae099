// CPU time of ramus.wasm in node against a row of the program, sentence by sentence, interleaved:
//
//     node bench/wasm.mjs [MODEL.gguf] [ROUNDS] [ROW] [RAMUS_WASM]       default: models/en-de.gguf 15 avx2
//
// Each round gives the same 20 sentences to both, greedily and with a beam of 4. The program gets a line at a time
// through a pipe; its time is that of /proc. Both sides begin with rounds that do not count: node compiles what is hot.
import {spawn} from 'node:child_process'
import {readFileSync} from 'node:fs'
import {createInterface} from 'node:readline'
import {Engine} from '../web/engine.js'

const root = new URL('..', import.meta.url).pathname
const [model = `${root}/models/en-de.gguf`, rounds = 15, row = 'avx2', wasm = `${root}/build/web/package/ramus.wasm`] =
    process.argv.slice(2)
const WARM = 6
const lines = readFileSync(`${root}/tests/golden/text/sample.en-de.txt`, 'utf8').split('\n')
const sentences = lines.filter((_, i) => i % 40 === 0).slice(0, 20)

class Program {
    constructor(beam) {
        const options = ['translate', '-q', '-m', model, '--beam', beam, '--threads', 1, '--batch', 1]
        this.child = spawn(process.env.RAMUS ?? `${root}/build/ramus`, options.map(String),
            {env: {...process.env, RAMUS_ISA: row}, stdio: ['pipe', 'pipe', 'inherit']})
        this.lines = createInterface({input: this.child.stdout})[Symbol.asyncIterator]()
    }

    #time() { // ms on a CPU
        return Number(readFileSync(`/proc/${this.child.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
    }

    async round() {
        const start = this.#time(), answers = []
        for (const sentence of sentences) {
            this.child.stdin.write(`${sentence}\n`)
            answers.push((await this.lines.next()).value)
        }
        return {ms: (this.#time() - start) / sentences.length, answers}
    }
}

const engine = new Engine(new WebAssembly.Module(readFileSync(wasm)))
const bytes = readFileSync(model)
engine.reserve(bytes.length).set(bytes)
const facts = engine.open()

function wasmRound(beam) {
    const start = process.cpuUsage()
    const answers = sentences.map(sentence => engine.translate(sentence, {beam, scores: false}).text)
    const {user, system} = process.cpuUsage(start)
    return {ms: (user + system) / 1e3 / sentences.length, answers}
}

const median = numbers => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]
for (const beam of [1, 4]) {
    const program = new Program(beam), native = [], web = []
    for (let i = 0; i < WARM + Number(rounds); i++) {
        const a = await program.round(), b = wasmRound(beam)
        if (a.answers.join('\n') !== b.answers.join('\n')) throw new Error('the answers differ')
        if (i < WARM) continue
        native.push(a.ms)
        web.push(b.ms)
    }
    program.child.stdin.end()
    const ratios = web.map((ms, i) => ms / native[i])
    console.log(`beam ${beam}: ${row} ${Math.min(...native).toFixed(2)} ms, ${facts.row} ${Math.min(...web).toFixed(2)} ms ` +
        `a sentence (best of ${rounds}); ratio ${(Math.min(...web) / Math.min(...native)).toFixed(2)}, ` +
        `median of rounds ${median(ratios).toFixed(2)}`)
}
console.log(`${(engine.memory / 2 ** 20).toFixed(0)} MiB of memory`)
