// Runs a test program that was built for WASI:  node --no-warnings run.mjs PROGRAM.wasm [ARGUMENT...]
// It sees the whole file system, and of the environment what tests ask for.
import {readdirSync} from 'node:fs'
import {readFile} from 'node:fs/promises'
import {WASI} from 'node:wasi'

const [file, ...args] = process.argv.slice(2)
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('RAMUS_')))
// The C library takes "/" and "." for the same folder: so every folder of the root is one of its own.
const folders = readdirSync('/', {withFileTypes: true}).filter(entry => entry.isDirectory()).map(({name}) => `/${name}`)
const preopens = Object.fromEntries([...folders.map(folder => [folder, folder]), ['.', process.cwd()]])
const wasi = new WASI({version: 'preview1', args: [file, ...args], env: {...env, PWD: process.cwd()},
    preopens})
const module = await WebAssembly.compile(await readFile(file))
process.exitCode = wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject()))
