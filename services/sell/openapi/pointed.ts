/**
 * A document of OpenAPI, and the places in it. Its writer may be anybody: a reference leads nowhere but into the document, and the
 * steps and the depth of one operation are bounded, whatever refers to whatever.
 */
import type { Path, SellDocument } from '../document.ts'

/** A value, and where it stands. */
export interface Spot {
  value: unknown
  path: Path
}

/** It cannot be sold. The place is one of the document. */
export class NotSold extends Error {
  override name = 'NotSold'
  readonly path: Path

  constructor({ path }: Pick<Spot, 'path'>, message: string) {
    super(message)
    this.path = path
  }
}

const mostSteps = 4_000
export const mostDepth = 24
const mostReferences = 16

export type JsonObject = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Its own fields only: a document may name one after a part of every object. */
export const ownOf = (value: unknown, name: PropertyKey): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<PropertyKey, unknown>)[name]
    : undefined

export class Pointed {
  readonly root: Spot
  readonly #document: SellDocument
  #steps = 0

  constructor(document: SellDocument) {
    this.#document = document
    this.root = { value: document.value, path: [] }
  }

  /** Begins with another operation, which has its own bound. */
  begin(): void {
    this.#steps = 0
  }

  fault(path: Path, message: string): void {
    this.#document.fault(path, message, { isName: true })
  }

  /** The field behind its references. Undefined if it is absent. */
  of(spot: Spot, ...names: PropertyKey[]): Spot | undefined {
    let at: Spot | undefined = spot
    for (const name of names) {
      if (!at) return undefined
      const value: unknown = ownOf(at.value, name)
      at = value === undefined ? undefined : this.meant({ value, path: [...at.path, name] })
    }
    return at
  }

  /** The items of a list, or the fields of an object, each behind its references. */
  each(spot: Spot | undefined): (Spot & { name: string })[] {
    const { value } = spot ?? {}
    if (!spot || typeof value !== 'object' || value === null) return []
    const names = Array.isArray(value) ? value.keys() : Object.keys(value)
    return [...names].map(name => ({
      name: String(name),
      ...this.meant({ value: ownOf(value, name), path: [...spot.path, name] }),
    }))
  }

  /** What a spot refers to, or itself. */
  meant(spot: Spot): Spot {
    let at = spot
    for (let hops = 0; ; hops++) {
      this.#step(at)
      const reference = ownOf(at.value, '$ref')
      if (reference === undefined) return at
      if (hops === mostReferences) throw new NotSold(spot, 'its references lead on and on')
      at = this.#found(at, reference)
    }
  }

  #found(from: Spot, reference: unknown): Spot {
    if (typeof reference !== 'string' || !/^#(?:\/|$)/.test(reference))
      throw new NotSold(from, 'a reference out of this document is not read')
    const path = reference
      .slice(2)
      .split('/')
      .map(name => unescaped(from, name))
    const value = path.reduce<unknown>((at, name) => ownOf(at, name), this.root.value)
    if (value === undefined) throw new NotSold(from, `there is nothing at ${reference.slice(0, 100)}`)
    return { value, path }
  }

  #step(at: Spot): void {
    this.#steps += 1
    if (this.#steps > mostSteps)
      throw new NotSold(at, `the operation has more than ${mostSteps} parts with all that it refers to`)
  }
}

function unescaped(from: Spot, name: string): string {
  try {
    return decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    throw new NotSold(from, 'its reference cannot be read')
  }
}

/** A text in one line, of at most so many characters, cut between words. */
export function lineOf(text: unknown, most: number): string | undefined {
  if (typeof text !== 'string') return undefined
  // A description may have megabytes.
  const line = text
    .slice(0, 4 * most)
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim()
  if (line.length <= most) return line || undefined
  return `${line.slice(0, most - 1).replace(/ \S*$/, '')}…`
}
