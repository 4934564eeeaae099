/* menu.js - other words in the place of one: from the n best translations with the same beginning,
 * or typed. */
import {$, element, spanOf, wordOf} from './view.js'

const nBest = 16

/* The distinct words at `at` of the translations, each with what follows it. */
function others(translations, at, now) {
    const found = new Map()
    for (const {text} of translations) {
        const [, word, rest] = text.slice(at).match(/^\s*(\S+)(.*)$/s) ?? []
        const plain = word?.replace(/(?<=[\p{L}\p{N}])[.,;:!?…“”"»)]+$/u, '')
        if (plain && plain !== now && !found.has(plain)) found.set(plain, word.slice(plain.length) + rest)
    }
    return [...found].slice(0, 7)
}

/* `ask(options)` translates the sentence; `take(details)` puts a translation in its place, without
 * details the first one. */
export async function openMenu(part, index, {ask, take}) {
    const word = wordOf(part, 'target', index), now = part.target.slice(word.start, word.end)
    const prefix = part.target.slice(0, word.start), menu = $('menu')
    const choose = async text => {
        menu.hidePopover()
        take(text === null ? null : await ask({prefix: prefix + text}))
    }
    const button = (action, ...content) => element('button', {type: 'button', onclick: action}, ...content)
    const list = element('div', {}, element('p', {textContent: 'Looking for other words'}))
    const input = element('input', {type: 'text', placeholder: 'or type your own, then Enter', ariaLabel: `Your word in place of ${now}`,
        autocomplete: 'off', spellcheck: false})
    input.addEventListener('keydown', event => {
        if (event.key === 'Enter' && input.value.trim()) choose(input.value.trim())
    })
    menu.replaceChildren(list, input)
    menu.setAttribute('aria-label', `Other words for ${now}`)
    menu.onkeydown = event => {
        const step = {ArrowDown: 1, ArrowUp: -1}[event.key], stops = [...menu.querySelectorAll('button, input')]
        if (!step) return
        event.preventDefault()
        stops[(stops.indexOf(document.activeElement) + step + stops.length) % stops.length].focus()
    }
    menu.showPopover()
    const box = spanOf(part, 'target', index).getBoundingClientRect()
    menu.style.left = `${Math.min(box.left + scrollX, scrollX + document.documentElement.clientWidth - menu.offsetWidth - 12)}px`
    menu.style.top = `${box.bottom + scrollY + 8}px`

    const {alternatives} = await ask({prefix, beam: nBest, nBest})
    const rows = others(alternatives, word.start, now).map(([text, rest]) =>
        button(() => choose(text), element('b', {textContent: text}), ` ${rest.trim()}`))
    if (part.chosen) rows.push(button(() => choose(null), 'Back to the first translation'))
    list.replaceChildren(...rows.length ? rows : [element('p', {textContent: `The model is sure of “${now}”.`})])
    const first = list.querySelector('button') ?? input
    first.focus()
}
