// tests/devices/lines.c with the package's ramus.wasm:  node lines.mjs MODEL BEAM TEXT FIRST COUNT
import {readFileSync} from 'node:fs'
import {Engine} from '../../build/web/package/engine.js'

/** As printf's %.17g does, for numbers that it writes without an exponent. */
const digits = number => {
    const text = number.toPrecision(17)
    return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}

const [model, beam, text, first, count] = process.argv.slice(2)
const wasm = new URL('../../build/web/package/ramus.wasm', import.meta.url)
const engine = new Engine(new WebAssembly.Module(readFileSync(wasm)))
const bytes = readFileSync(model)
engine.reserve(bytes.length).set(bytes)
if (engine.open().row !== process.env.RAMUS_ISA) throw new Error('expected one of: simd128')
for (const line of readFileSync(text, 'utf8').split('\n').slice(first - 1, Number(first) - 1 + Number(count))) {
    const {text, score} = engine.translate(line, {beam: Number(beam)})
    process.stdout.write(`${text}\t${digits(score)}\n`)
}
