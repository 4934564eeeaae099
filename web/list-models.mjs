// Copies the models of a folder into another one and lists them there:  node list-models.mjs FROM TO
import {copyFileSync, readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {Engine} from './engine.js'

const [from, to] = process.argv.slice(2)
const module = new WebAssembly.Module(readFileSync(join(to, 'ramus.wasm')))
const list = readdirSync(from).filter(file => file.endsWith('.gguf')).sort().map(file => {
    const bytes = readFileSync(join(from, file)), engine = new Engine(module)
    engine.reserve(bytes.length).set(bytes)
    const facts = engine.open()
    copyFileSync(join(from, file), join(to, file))
    return {file, from: facts.source_language, to: facts.target_language, bytes: statSync(join(from, file)).size,
        name: facts.name}
})
writeFileSync(join(to, 'models.json'), `${JSON.stringify(list, null, 2)}\n`)
