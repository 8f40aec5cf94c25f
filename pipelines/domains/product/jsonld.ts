/** The things that a page declares in JSON-LD. */
import { bareName, type Item, type ItemValue } from './item.ts'
import { lenientReader } from './lenient-json.ts'
import type { Script } from './markup.ts'

const mostBlocks = 200
const mostCharacters = 4 << 20
const mostItems = 20_000
const mostValues = 100_000

/** The things at the top of each block and of each graph, with the things that they lead to. */
export function jsonLdItems(scripts: readonly Script[]): Item[] {
  let left = mostCharacters
  const roots: unknown[] = []
  const read = lenientReader()
  for (const { text } of scripts.filter(({ type }) => type.includes('ld+json')).slice(0, mostBlocks)) {
    if (text.length > left) continue
    left -= text.length
    // Most blocks are about the shop, its search and its path.
    if (/product|offer|vehicle|book/i.test(text)) for (const root of read(text)) roots.push(root)
  }
  return new Graph().read(roots)
}

type Raw = Record<string, unknown>
const isRaw = (value: unknown): value is Raw => typeof value === 'object' && value !== null

class Graph {
  readonly #items = new Map<Raw, Item>()
  readonly #byId = new Map<string, Item>()
  readonly #queue: Raw[] = []
  readonly #references: { values: ItemValue[]; id: string }[] = []
  #values = 0

  read(roots: readonly unknown[]): Item[] {
    const top: Item[] = []
    for (const raw of flat(roots)) {
      if (!isRaw(raw)) continue
      top.push(this.#itemOf(raw))
      if (Object.hasOwn(raw, '@graph'))
        for (const member of flat([raw['@graph']])) if (isRaw(member)) top.push(this.#itemOf(member))
    }
    for (const raw of this.#queue) this.#fill(raw)
    for (const { values, id } of this.#references) {
      // A thing that is missing in the page has no name.
      values.push(this.#byId.get(id) ?? { types: [], id, properties: new Map() })
    }
    return top
  }

  #itemOf(raw: Raw): Item {
    const known = this.#items.get(raw)
    if (known) return known
    const item: Item = { types: typesOf(raw), id: idOf(raw), properties: new Map() }
    this.#items.set(raw, item)
    if (item.id !== undefined && !this.#byId.has(item.id)) this.#byId.set(item.id, item)
    if (this.#items.size <= mostItems) this.#queue.push(raw)
    return item
  }

  #fill(raw: Raw): void {
    const { properties } = this.#items.get(raw) as Item
    for (const [name, value] of Object.entries(raw)) {
      if (name.startsWith('@')) continue
      const values: ItemValue[] = properties.get(bareName(name)) ?? []
      for (const each of flat([value])) this.#add(values, each)
      if (values.length || isReference(value)) properties.set(bareName(name), values)
    }
  }

  #add(values: ItemValue[], value: unknown): void {
    this.#values += 1
    if (this.#values > mostValues) return
    if (typeof value === 'string') values.push(value)
    else if (typeof value === 'boolean') values.push(String(value))
    else if (isRaw(value)) {
      const id = isReference(value) ? idOf(value) : undefined
      if (id !== undefined) this.#references.push({ values, id })
      else if (Object.hasOwn(value, '@value')) this.#add(values, String(value['@value']))
      else values.push(this.#itemOf(value))
    }
  }
}

const isReference = (value: unknown): value is Raw => {
  if (!isRaw(value)) return false
  const names = Object.keys(value)
  return names.length === 1 && names[0] === '@id'
}

const idOf = (raw: Raw): string | undefined => {
  const id = Object.hasOwn(raw, '@id') ? raw['@id'] : undefined
  return typeof id === 'string' && id !== '' ? id : undefined
}

const typesOf = (raw: Raw): string[] =>
  (Object.hasOwn(raw, '@type') ? flat([raw['@type']]) : [])
    .filter(type => typeof type === 'string')
    .slice(0, 10)
    .map(bareName)

/** Lists in lists, without recursion. */
function flat(values: readonly unknown[]): unknown[] {
  const found: unknown[] = []
  const left = [...values].reverse()
  while (left.length && found.length < mostItems) {
    const value = left.pop()
    if (!Array.isArray(value)) found.push(value)
    else for (let i = Math.min(value.length, mostItems) - 1; i >= 0; i--) left.push(value[i])
  }
  return found
}
