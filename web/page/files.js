/* files.js - documents: dropped or opened, translated on the spot, given back as a download. */
import {$, element} from './view.js'

const formats = {
    html: 'html', htm: 'html', xhtml: 'html', md: 'markdown', markdown: 'markdown', mdown: 'markdown', srt: 'srt',
    vtt: 'vtt', po: 'po', pot: 'po', xlf: 'xliff', xliff: 'xliff', csv: 'csv', tsv: 'tsv', json: 'json', txt: 'text',
    text: 'text',
}

const extension = name => name.toLowerCase().match(/\.([^.]+)$/)?.[1] ?? ''

/* The file's name with the language in it: letter.txt -> letter.de.txt */
const renamed = (name, language) => name.replace(/(\.[^.]+)?$/, `.${language}$1`)

async function read(file) {
    try {
        return new TextDecoder('utf-8', {fatal: true, ignoreBOM: true}).decode(await file.arrayBuffer())
    } catch {
        throw new Error('It is not text in UTF-8.')
    }
}

/* One file as a row of the list. `host` knows the direction and translates. */
async function add(file, host) {
    const abort = new AbortController()
    const state = element('small', {textContent: 'Reading'}), bar = element('progress', {ariaLabel: `Progress of ${file.name}`})
    const stop = element('button', {className: 'quiet', type: 'button', textContent: 'Stop', onclick: () => abort.abort()})
    const row = element('li', {}, element('strong', {textContent: file.name}), stop, state, bar)
    $('files').prepend(row)
    const close = element('button', {className: 'quiet', type: 'button', textContent: 'Remove', onclick: () => row.remove()})
    try {
        const format = formats[extension(file.name)]
        if (!format) throw new Error(`The page takes ${Object.keys(formats).join(', ')}. The program takes docx and odt as well.`)
        const text = await read(file), d = await host.direction(text), begin = performance.now()
        state.textContent = `Translating into ${d.to}`
        const done = await host.translate(text, {...d, format, signal: abort.signal}, n => {
            state.textContent = `Translating into ${d.to}: ${n.toLocaleString('en')} sentences`
        })
        const name = renamed(file.name, d.to)
        const url = URL.createObjectURL(new Blob([done.text], {type: 'application/octet-stream'}))
        stop.replaceWith(element('a', {href: url, download: name, textContent: 'Download', ariaLabel: `Download ${name}`}), close)
        const noted = done.notes.length ? ` · notes: ${done.notes.join(', ')}` : ''
        state.textContent = `${name} · ${((performance.now() - begin) / 1000).toFixed(1)} s${noted}`
    } catch (error) {
        state.textContent = error.name === 'AbortError' ? 'Stopped.' : error.message
        stop.replaceWith(close)
    }
    bar.remove()
}

export function takeFiles(host) {
    const all = files => [...files].forEach(file => add(file, host))
    const hasFiles = event => event.dataTransfer?.types.includes('Files')
    addEventListener('dragover', event => {
        if (!hasFiles(event)) return
        event.preventDefault()
        $('drop').hidden = false
    })
    addEventListener('dragleave', event => { if (!event.relatedTarget) $('drop').hidden = true; })
    addEventListener('drop', event => {
        $('drop').hidden = true
        if (!hasFiles(event)) return
        event.preventDefault()
        all(event.dataTransfer.files)
    })
    $('open').addEventListener('click', () => $('file').click())
    $('file').accept = Object.keys(formats).map(e => `.${e}`).join()
    $('file').addEventListener('change', () => { all($('file').files); $('file').value = ''; })
}
