/* global offered, shared */
/** Runs in the browser, behind the line that says what is offered: searches it, and copies code. */
const made = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...children)
  return element
}

const pages = [
  ['Operations', '/docs', 'all of them, with prices'],
  ['Market', '/market', 'the x402 sellers of the week'],
  ['Status', '/status', 'how each source fares'],
  ['Lineage', '/lineage', 'where each fact comes from'],
  ['Changes', '/changelog', 'what changed, by version'],
]

/** All that can be found: what it is called, where it stands, what stands beside it, and its weight. */
const all = [
  ...offered.flatMap(({ href, path, title, fee, fields, codes }) => [
    { name: title, also: path, href, beside: `${path}, ${fee}`, weight: 3 },
    ...codes.map(code => ({
      name: code,
      also: '',
      href: `${href}#code-${code}`,
      beside: `refusal of ${path}`,
      weight: 2,
    })),
    ...fields.map(field => ({
      name: field,
      also: '',
      href: `${href}#answer`,
      beside: `field of ${path}`,
      weight: 1,
    })),
  ]),
  ...shared.map(code => ({
    name: code,
    also: '',
    href: `/docs#code-${code}`,
    beside: 'what any call may answer',
    weight: 2,
  })),
  ...pages.map(([name, href, beside]) => ({ name, also: href, href, beside, weight: 2 })),
]
const plain = text => text.toLowerCase().replaceAll(/[_/-]/g, ' ').trim()
for (const each of all) each.text = `${plain(each.name)} ${plain(each.also)}`

function found(asked) {
  const wanted = plain(asked).split(/\s+/)
  return all
    .filter(({ text }) => wanted.every(word => text.includes(word)))
    .map(each => {
      const isExact = plain(each.name) === plain(asked) || plain(each.also) === plain(asked)
      const begins = wanted.every(word => ` ${each.text}`.includes(` ${word}`))
      return { each, score: each.weight + (isExact ? 4 : 0) + (begins ? 2 : 0) }
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, 12)
    .map(({ each }) => each)
}

const input = made('input', {
  ...{ id: 'find-text', type: 'search', autocomplete: 'off', spellcheck: 'false', role: 'combobox' },
  ...{ 'aria-controls': 'find-list', 'aria-expanded': 'true', 'aria-autocomplete': 'list' },
})
const list = made('ul', { id: 'find-list', role: 'listbox', 'aria-label': 'Found' })
const told = made('p', { role: 'status', class: 'small quiet' })
const label = made('label', { for: 'find-text' }, 'Search operations, fields and refusals')
const dialog = made('dialog', { id: 'find', 'aria-label': 'Search' }, label, input, told, list)
document.body.append(dialog)

let shown = []
let at = 0
function mark(next) {
  at = shown.length ? (next + shown.length) % shown.length : 0
  for (const [i, item] of [...list.children].entries()) item.setAttribute('aria-selected', String(i === at))
  const marked = list.children[at]
  if (marked) {
    input.setAttribute('aria-activedescendant', marked.id)
    marked.scrollIntoView({ block: 'nearest' })
  } else input.removeAttribute('aria-activedescendant')
}
function show() {
  shown = input.value.trim()
    ? found(input.value)
    : all.filter(({ weight, also }) => weight === 3 || also).slice(0, 8)
  list.replaceChildren(
    ...shown.map(({ name, beside }, i) =>
      made('li', { role: 'option', id: `found-${i}` }, name, made('span', {}, beside)),
    ),
  )
  list.hidden = shown.length === 0
  told.textContent = shown.length ? 'Arrows choose, Enter opens, Escape closes.' : 'Nothing has this name.'
  mark(0)
}
const go = to => {
  if (!to) return
  dialog.close()
  location.assign(to.href)
}
function open() {
  if (dialog.open) return
  input.value = ''
  show()
  dialog.showModal()
  input.focus()
}

input.addEventListener('input', show)
input.addEventListener('keydown', event => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step) mark(at + step)
  else if (event.key === 'Enter') go(shown[at])
  else return
  event.preventDefault()
})
list.addEventListener('click', event => {
  const item = event.target.closest('[role=option]')
  if (item) go(shown[[...list.children].indexOf(item)])
})
dialog.addEventListener('click', event => {
  if (event.target === dialog) dialog.close()
})

for (const button of document.querySelectorAll('#find-open, [data-opens=find]')) {
  button.disabled = false
  button.addEventListener('click', open)
}
document.addEventListener('keydown', event => {
  const isTyping = event.target.closest?.('input, textarea, select')
  const isAsked = (event.key === '/' && !isTyping) || (event.key === 'k' && (event.ctrlKey || event.metaKey))
  if (!isAsked || event.altKey) return
  event.preventDefault()
  open()
})

for (const pre of document.querySelectorAll('main pre')) {
  const button = made('button', { type: 'button' }, 'Copy')
  const box = made('div', { class: 'copied' })
  pre.replaceWith(box)
  box.append(pre, button)
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(pre.textContent)
    button.textContent = 'Copied'
  })
}
