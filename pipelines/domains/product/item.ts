/** The common form of JSON-LD, microdata and RDFa: things of schema.org with their types and properties. */

export type ItemValue = string | Item

export interface Item {
  /** In lower case, without the vocabulary: `product`, `offer`. */
  types: readonly string[]
  id: string | undefined
  /** By their names in lower case. */
  properties: Map<string, ItemValue[]>
}

/** `https://schema.org/Product`, `schema:Product` and `Product` are one type. */
export const bareName = (name: string): string =>
  name
    .trim()
    .replace(/^https?:\/\/(?:www\.)?(?:schema\.org|data-vocabulary\.org)\/+|^schema:/i, '')
    .toLowerCase()

export const isItem = (value: ItemValue | undefined): value is Item => typeof value === 'object'

export const is = ({ types }: Item, ...names: readonly string[]): boolean =>
  types.some(type => names.includes(type))

export const valuesOf = (item: Item, ...names: readonly string[]): readonly ItemValue[] =>
  names.flatMap(name => item.properties.get(name) ?? [])

export const itemsOf = (item: Item, ...names: readonly string[]): Item[] =>
  valuesOf(item, ...names).filter(isItem)

/** The first text under one of the names. For a thing, this is its name. */
export function textAt(item: Item, ...names: readonly string[]): string | undefined {
  for (const name of names)
    for (const value of item.properties.get(name) ?? []) {
      const text = isItem(value) ? textAt({ ...value, properties: shallow(value) }, 'name') : value
      if (text !== undefined && text.trim() !== '') return text
    }
  return undefined
}

/** Without this, things that contain each other could be followed for ever. */
const shallow = ({ properties }: Item): Item['properties'] =>
  new Map([['name', (properties.get('name') ?? []).filter(value => !isItem(value))]])
