// Serves a folder of static files on this machine alone:  node tools/serve-web.mjs FOLDER [PORT]
import {createReadStream, statSync} from 'node:fs'
import {createServer} from 'node:http'
import {extname, join, normalize, resolve, sep} from 'node:path'

const [folder, port = '8000'] = process.argv.slice(2)
const types = {'.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml',
    '.json': 'application/json', '.wasm': 'application/wasm', '.webmanifest': 'application/manifest+json'}
const root = resolve(folder)

function fileOf(url) {
    const path = normalize(join(root, decodeURIComponent(new URL(url, 'http://localhost').pathname)))
    if (path !== root && !path.startsWith(root + sep)) return null
    const info = statSync(path, {throwIfNoEntry: false})
    return info?.isDirectory() ? fileOf(`${url.split(/[?#]/)[0].replace(/\/$/, '')}/index.html`) : info && {path, size: info.size}
}

const server = createServer((request, response) => {
    let file = null
    try {
        file = fileOf(request.url)
    } catch {} // no URL
    if (!file || !['GET', 'HEAD'].includes(request.method)) {
        response.writeHead(file ? 405 : 404).end()
        return
    }
    const headers = {'content-type': types[extname(file.path)] ?? 'application/octet-stream', 'cache-control': 'no-cache',
        'accept-ranges': 'bytes'}
    const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '')
    const start = range ? Number(range[1]) : 0
    const end = Math.min(range?.[2] ? Number(range[2]) : file.size - 1, file.size - 1)
    if (range && (start >= file.size || end < start)) {
        response.writeHead(416, {'content-range': `bytes */${file.size}`}).end()
        return
    }
    if (range) headers['content-range'] = `bytes ${start}-${end}/${file.size}`
    response.writeHead(range ? 206 : 200, {...headers, 'content-length': Math.max(end - start + 1, 0)})
    if (request.method === 'HEAD' || file.size === 0) response.end()
    else createReadStream(file.path, {start, end}).pipe(response)
})
server.listen(Number(port), '127.0.0.1', () => console.log(`http://localhost:${server.address().port}/`))
