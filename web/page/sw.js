/* sw.js - keeps the page in the browser's own cache. The models are kept by worker.js, and here if asked. */
const page = 'ramus-page-VERSION', models = 'ramus-models'
const files = [/* FILES */] // tools/build-web lists them and puts in their VERSION
// Of every answer, as workers do not share that of the page.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; " +
    "img-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'"

addEventListener('install', event => {
    skipWaiting()
    event.waitUntil(caches.open(page).then(cache =>
        cache.addAll(files.map(file => new Request(file, {cache: 'reload'})))))
})

addEventListener('activate', event => event.waitUntil((async () => {
    const old = (await caches.keys()).filter(name => name.startsWith('ramus-page-') && name !== page)
    await Promise.all(old.map(name => caches.delete(name)))
    await clients.claim()
})()))

/* The list of models may change without the page: the kept one is for want of a connection. */
async function newest(request) {
    const fresh = await fetch(request).catch(() => null)
    if (fresh?.ok) await (await caches.open(page)).put(request, fresh)
}

async function answer(request) {
    if (request.url.endsWith('/models.json')) await newest(request)
    const kept = await caches.match(request, {cacheName: page, ignoreSearch: true})
    if (!kept) return fetch(request)
    const headers = new Headers(kept.headers)
    headers.set('Content-Security-Policy', policy)
    return new Response(kept.body, {headers})
}

addEventListener('fetch', event => {
    const {method, url} = event.request
    if (method === 'GET' && new URL(url).origin === location.origin) event.respondWith(answer(event.request))
})

/* A message is the list of models to keep; the answer tells that all are there. */
addEventListener('message', event => event.waitUntil((async () => {
    const cache = await caches.open(models)
    for (const url of event.data) if (!await cache.match(url)) await cache.add(url)
    event.source.postMessage('kept')
})()))
