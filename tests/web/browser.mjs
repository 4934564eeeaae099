// browser.mjs - what the tests of the page share: the site behind a server, a browser of its own, the native program.
//
// CHROMIUM is the browser, NODE_MODULES the folder that has playwright-core and axe-core, SITE what tools/build-web made,
// RAMUS the native program.
import {spawn, spawnSync} from 'node:child_process'
import {mkdtempSync, readFileSync, readdirSync, rmSync} from 'node:fs'
import {createRequire} from 'node:module'
import {tmpdir} from 'node:os'
import {join, resolve} from 'node:path'
import {fileURLToPath} from 'node:url'

export const root = resolve(fileURLToPath(import.meta.url), '../../..')
export const site = resolve(process.env.SITE ?? join(root, 'build/web/site'))
const program = resolve(process.env.RAMUS ?? join(root, 'build/ramus'))
const modules = createRequire(resolve(process.env.NODE_MODULES ?? join(root, 'build/web/node_modules'), 'x.js'))
const {chromium} = modules('playwright-core')
export const axeSource = modules('axe-core').source

/** Serves the site; {url, stop()}. */
export async function serve() {
    const server = spawn(process.execPath, [join(root, 'tools/serve-web.mjs'), site, '0'], {stdio: ['ignore', 'pipe', 'inherit']})
    const line = await new Promise(done => server.stdout.once('data', done))
    return {url: String(line).trim(), stop: () => new Promise(done => server.on('exit', done) && server.kill())}
}

/** The native program serves the page that is in it; {url, metric(name), stop()}, or null: it was built without one. */
export async function serveProgram() {
    const server = spawn(program, ['serve', '--listen', '127.0.0.1:0', '--models', join(root, 'models'), '--threads', '1'],
        {stdio: ['ignore', 'inherit', 'pipe']})
    const line = await new Promise(done => server.stderr.once('data', done))
    const url = `http://localhost:${String(line).match(/:(\d+)\s/)[1]}/`
    const stop = () => new Promise(done => server.on('exit', done) && server.kill())
    const metric = async name => Number((await (await fetch(`${url}metrics`)).text()).match(new RegExp(`^${name} (.*)$`, 'm'))[1])
    if ((await fetch(url)).ok) return {url, metric, stop}
    await stop()
    return null
}

/** CPU time so far of each process of the browser that has `folder`, in ms (Linux). */
function cpuTimes(folder) {
    const read = (pid, file) => { try { return readFileSync(`/proc/${pid}/${file}`, 'utf8') } catch { return '' } }
    const pids = readdirSync('/proc').filter(name => /^\d+$/.test(name))
    const fields = pid => read(pid, 'stat').replace(/^.*\) /, '').split(' ')
    const group = fields(pids.find(pid => read(pid, 'cmdline').includes(folder)))[2]
    const own = pids.map(pid => [pid, fields(pid)]).filter(([, f]) => f[2] === group)
    return new Map(own.map(([pid, f]) => [pid, 10 * (Number(f[11]) + Number(f[12]))]))
}

/** A browser with a folder of its own that stops with close(). It knows no other machine. */
export async function openBrowser(options = {}) {
    const folder = mkdtempSync(join(tmpdir(), 'ramus-page-'))
    const context = await chromium.launchPersistentContext(folder, {
        executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless: true, acceptDownloads: true,
        viewport: {width: 1400, height: 900}, locale: 'en-GB', permissions: ['clipboard-read', 'clipboard-write'],
        args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
            '--disable-component-update', '--disable-sync', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost'],
        ...options})
    context.setDefaultTimeout(120000) // of a busy machine
    return {
        context,
        cpu: () => cpuTimes(folder),
        async close() {
            await context.close()
            rmSync(folder, {recursive: true, force: true, maxRetries: 5})
        },
    }
}

/** Opens the page and waits until it can translate. `page.faults` has what went wrong in it. */
export async function openPage(context, url) {
    const page = await context.newPage()
    page.faults = []
    page.on('pageerror', error => page.faults.push(error.message))
    await page.goto(url)
    await page.waitForSelector('#state.ready', {timeout: 60000})
    return page
}

/** The translation, once all of it is there. */
export async function translated(page) {
    await page.waitForFunction(() => !document.querySelector('#out .waiting') && document.querySelector('#out').textContent,
        null, {timeout: 60000})
    return page.locator('#out').textContent()
}

export async function translate(page, text) {
    await page.fill('#text', text)
    return translated(page)
}

/** What the native program prints for `input`. */
export function native(from, to, input, ...options) {
    const {stdout, status, stderr} = spawnSync(program, ['translate', '--from', from, '--to', to, ...options],
        {input, encoding: 'utf8', maxBuffer: 1 << 28, env: {...process.env, RAMUS_MODELS: join(root, 'models')}})
    if (status !== 0) throw new Error(stderr)
    return stdout
}
