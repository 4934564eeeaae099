// Real clients, unchanged, against a server on loopback:  node clients.mjs FOLDER ADDRESS WANT
// FOLDER has their node_modules; WANT is a JSON file of texts and what `ramus translate` makes of them.
import {createRequire} from 'node:module';
import {readFileSync, writeFileSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import assert from 'node:assert/strict';

const [folder, address, wanted] = process.argv.slice(2);
const require = createRequire(join(folder, 'node_modules', 'x'));
const want = JSON.parse(readFileSync(wanted, 'utf8'));
const [one, two] = want.texts;
let checks = 0;
const same = (got, expected, what) => { assert.deepEqual(got, expected, what); checks++; };

async function deepl() {
    const {Translator} = require('deepl-node');
    const t = new Translator('a-key', {serverUrl: address});
    const got = await t.translateText(one, null, 'de');
    same([got.text, got.detectedSourceLang, got.billedCharacters], [want.text[one], 'en', one.length], 'text');
    const many = await t.translateText([one, two], 'en', 'de');
    same(many.map((m) => m.text), [want.text[one], want.text[two]], 'batch');
    same((await t.translateText(want.german, 'de', 'en-US')).text, want.english, 'to American English');
    same((await t.translateText(want.html, 'en', 'de', {tagHandling: 'html'})).text, want.translated_html, 'html');
    same((await t.getSourceLanguages()).map((l) => l.code).sort(), ['de', 'en'], 'sources');
    same((await t.getTargetLanguages()).map((l) => l.code).sort(), ['de', 'en-GB', 'en-US'], 'targets');
    assert((await t.getUsage()).character.count > 0), checks++;
    await assert.rejects(t.translateText(one, null, 'fr'), /Bad request/), checks++;
    await glossary(t, require('deepl-node').GlossaryEntries);
    await document(t);
}

async function glossary(t, Entries) {
    const entries = new Entries({entries: {station: 'Haltestelle'}});
    const g = await t.createGlossary('mine', 'en', 'de', entries);
    same([g.name, g.ready, g.entryCount], ['mine', true, 1], 'glossary');
    same((await t.getGlossary(g.glossaryId)).glossaryId, g.glossaryId, 'by id');
    same((await t.listGlossaries()).length, 1, 'list');
    same((await t.getGlossaryEntries(g)).entries(), entries.entries(), 'entries');
    assert.match((await t.translateText(one, 'en', 'de', {glossary: g})).text, /Haltestelle/), checks++;
    assert((await t.getGlossaryLanguagePairs()).length >= 2), checks++;
    await t.deleteGlossary(g);
    same((await t.listGlossaries()).length, 0, 'deleted');
}

async function document(t) {
    const place = mkdtempSync(join(tmpdir(), 'ramus-'));
    const from = join(place, 'in.txt'), to = join(place, 'out.txt');
    writeFileSync(from, want.document);
    const status = await t.translateDocument(from, to, 'en', 'de');
    same(status.status, 'done', 'document');
    same(readFileSync(to, 'utf8'), want.translated_document, 'its text');
    rmSync(place, {recursive: true});
}

async function libre() {
    const entry = (name) => pathToFileURL(require.resolve(name)).href;
    const {Translate} = await import(entry('translate'));
    const translate = Translate({engine: 'libre', url: `${address}/translate`, from: 'en', to: 'de'});
    same(await translate(one), want.text[one], 'translate');
    const {translate: small} = require('libretranslate');
    same(await small({query: one, source: 'en', target: 'de', apiurl: address}), want.text[one], 'libretranslate');
    same(await small({query: one, target: 'de', apiurl: address}), want.text[one], 'libretranslate, auto');
    const {libreTranslate} = require('libretranslate-ts');
    libreTranslate.setApiEndpoint(address);
    libreTranslate.setApiKey('');
    const got = await libreTranslate.translate(one, 'en', 'de', 2);
    same([got.status, got.translatedText, got.alternatives.length], [200, want.text[one], 2], 'libretranslate-ts');
    same((await libreTranslate.detect(want.german)).language, 'de', 'detect');
    same((await libreTranslate.listLanguages()).map((l) => l.code), ['de', 'en'], 'languages');
    same((await libreTranslate.translate(one, 'en', 'xx')).error, 'no model translates to xx', 'error');
}

await deepl();
await libre();
console.log(`${checks} checks of deepl-node, translate, libretranslate and libretranslate-ts`);
