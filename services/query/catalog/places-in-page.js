/** Runs in the browser: a field for a place becomes a combobox, whose list comes from the house that serves the page. Without it, it is a field. */
const made = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...children)
  return element
}
const waitMs = 120

function combobox(input) {
  const { place } = input.dataset
  const list = made('ul', {
    id: `${input.id}-list`,
    role: 'listbox',
    'aria-label': 'Places',
    class: 'places',
  })
  const told = made('p', { role: 'status', class: 'unseen' })
  list.hidden = true
  for (const [name, value] of Object.entries({
    ...{ role: 'combobox', 'aria-autocomplete': 'list', 'aria-controls': list.id, 'aria-expanded': 'false' },
  }))
    input.setAttribute(name, value)
  input.after(list, told)
  input.disabled = false

  let shown = []
  let at = -1
  let asked = 0
  let waiting
  let isTaken = false
  const close = () => {
    clearTimeout(waiting)
    asked++
    list.hidden = true
    input.setAttribute('aria-expanded', 'false')
    input.removeAttribute('aria-activedescendant')
  }
  const mark = next => {
    at = (next + shown.length) % shown.length
    for (const [i, item] of [...list.children].entries()) item.setAttribute('aria-selected', String(i === at))
    input.setAttribute('aria-activedescendant', list.children[at].id)
    list.children[at].scrollIntoView({ block: 'nearest' })
  }
  const show = places => {
    shown = places
    at = -1
    list.replaceChildren(
      ...places.map(({ text, beside }, i) =>
        made(
          'li',
          { role: 'option', id: `${list.id}-${i}`, 'aria-selected': 'false' },
          text,
          made('span', {}, beside),
        ),
      ),
    )
    list.hidden = places.length === 0
    input.setAttribute('aria-expanded', String(places.length > 0))
    input.removeAttribute('aria-activedescendant')
    told.textContent = places.length
      ? `${places.length} places. Arrows choose, Enter takes one, Escape closes.`
      : 'No place begins so.'
  }
  const set = (control, value) => {
    control.value = value
    control.dispatchEvent(new Event('input'))
  }
  const take = place => {
    if (!place) return
    close()
    isTaken = true
    const beside = (input.dataset.fills ?? '').split(' ').map(name => document.getElementById(`ask-${name}`))
    for (const [i, value] of [place.lat, place.lon].entries()) if (beside[i]) set(beside[i], String(value))
    set(input, place.text)
    isTaken = false
    told.textContent = `${place.text} is taken.`
  }
  const ask = async () => {
    const number = ++asked
    try {
      const answer = await fetch(`/places.json?${new URLSearchParams({ of: place, q: input.value })}`)
      const { places } = await answer.json()
      if (number === asked) show(places)
    } catch {
      // Who cannot ask writes it himself.
      if (number === asked) show([])
    }
  }
  const askSoon = () => {
    clearTimeout(waiting)
    asked++
    if (input.value.trim().length < 2) return close()
    waiting = setTimeout(ask, waitMs)
  }
  input.addEventListener('input', () => isTaken || askSoon())
  input.addEventListener('blur', close)
  input.addEventListener('keydown', event => {
    if (list.hidden) {
      if (event.key !== 'ArrowDown' || input.value.trim().length < 2) return
      ask()
    } else if (event.key === 'ArrowDown') mark(at + 1)
    else if (event.key === 'ArrowUp') mark(at < 0 ? -1 : at - 1)
    else if (event.key === 'Enter' && at >= 0) take(shown[at])
    else if (event.key === 'Escape') close()
    else return
    event.preventDefault()
  })
  // A press would take the focus away before it is a click.
  list.addEventListener('pointerdown', event => event.preventDefault())
  list.addEventListener('click', event => {
    const item = event.target.closest('[role=option]')
    if (item) take(shown[[...list.children].indexOf(item)])
  })
  // He may have written before this came.
  if (document.activeElement === input) askSoon()
}

for (const input of document.querySelectorAll('[data-place]')) combobox(input)
