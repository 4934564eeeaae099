// Runs a test program that was built for WASI:  node --no-warnings run.mjs PROGRAM.wasm [ARGUMENT...]
// It sees the whole file system, and of the environment what tests ask for.
import {readFile} from 'node:fs/promises'
import {WASI} from 'node:wasi'

const [file, ...args] = process.argv.slice(2)
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('RAMUS_')))
const wasi = new WASI({version: 'preview1', args: [file, ...args], env: {...env, PWD: process.cwd()},
    preopens: {'/': '/', '.': process.cwd()}})
const module = await WebAssembly.compile(await readFile(file))
process.exitCode = wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject()))
