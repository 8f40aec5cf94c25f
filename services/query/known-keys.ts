/** What is known of keys of large topics, as much of it as memory allows: what was asked for longest ago goes first. */

export type Row = Record<string, unknown>

/** All that is known here of one key of one topic. */
export interface Known {
  readonly name: string
  /** What the topic told since the key was first asked for: the store may not have it yet. */
  told: Map<string, { row: Row; until: number }>
  /** How often it told something. */
  times: number
  answers: Map<string, { rows: readonly Row[]; at: number }>
  reading: Map<string, Promise<readonly Row[]>>
  /** In rows. */
  weight: number
}

export class KnownKeys {
  readonly #mostRows: number
  /** The least recently asked for first. */
  readonly #known = new Map<string, Known>()
  #rows = 0

  constructor(mostRows: number) {
    this.#mostRows = mostRows
  }

  /** Only what was asked for before. */
  get(name: string): Known | undefined {
    return this.#known.get(name)
  }

  /** Asks for it. */
  of(name: string): Known {
    const known = this.#known.get(name) ?? {
      name,
      told: new Map(),
      times: 0,
      answers: new Map(),
      reading: new Map(),
      weight: 0,
    }
    this.#known.delete(name)
    this.#known.set(name, known)
    this.weigh(known)
    return known
  }

  /** To be told whenever it has grown or shrunk. */
  weigh(known: Known): void {
    if (this.#known.get(known.name) !== known) return
    const answered = [...known.answers.values()].reduce((sum, { rows }) => sum + rows.length, 0)
    const weight = 1 + known.told.size + answered
    this.#rows += weight - known.weight
    known.weight = weight
    for (const [name, oldest] of this.#known) {
      if (this.#rows <= this.#mostRows || oldest === known) return
      this.#known.delete(name)
      this.#rows -= oldest.weight
    }
  }
}
