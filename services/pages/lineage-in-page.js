/** Runs in the browser: follows a way through the picture, drags the picture, and finds names in it and in the list. */
const box = document.getElementById('flow')
const input = document.getElementById('flow-find')
const nodes = new Map([...box.querySelectorAll('[data-node]')].map(node => [node.dataset.node, node]))
const edges = [...box.querySelectorAll('[data-from]')]
const rows = [...document.querySelectorAll('main tbody tr')]

/** All that leads to these nodes, and all that they lead to. */
function ways(from) {
  const lit = new Set(from)
  for (const [here, there] of [
    ['from', 'to'],
    ['to', 'from'],
  ]) {
    const reached = new Set(from)
    for (const id of reached)
      for (const { dataset } of edges) if (dataset[here] === id) reached.add(dataset[there])
    for (const id of reached) lit.add(id)
  }
  return lit
}

function light(chosen) {
  const lit = ways(chosen)
  box.classList.toggle('lit', chosen.length > 0)
  for (const [id, node] of nodes) node.classList.toggle('on', lit.has(id))
  for (const edge of edges)
    edge.classList.toggle('on', lit.has(edge.dataset.from) && lit.has(edge.dataset.to))
}

const named = () => {
  const text = input.value.trim().toLowerCase()
  return text
    ? [...nodes].flatMap(([id, { dataset }]) => (dataset.name.toLowerCase().includes(text) ? [id] : []))
    : []
}

input.disabled = false
input.addEventListener('input', () => {
  const found = named()
  light(found)
  nodes.get(found[0])?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  const text = input.value.trim().toLowerCase()
  for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(text)
})

box.addEventListener('pointerover', ({ target }) => {
  const node = target.closest('[data-node]')
  light(node ? [node.dataset.node] : named())
})
box.addEventListener('pointerleave', () => light(named()))

let held
box.addEventListener('pointerdown', ({ pointerType, clientX, clientY }) => {
  if (pointerType === 'mouse') held = { x: clientX + box.scrollLeft, y: clientY + box.scrollTop }
})
addEventListener('pointerup', () => {
  held = undefined
})
box.addEventListener('pointermove', ({ clientX, clientY }) => {
  if (held) box.scrollTo(held.x - clientX, held.y - clientY)
})
