/** Replaces the store's large views. A test puts events in, and each view's own rules look them up. */
import type { Dataset, Fields, RowOf, View } from '../../../schemas/dataset/dataset.ts'
import type { Tools } from '../../../services/offer/operation.ts'

type Row = Record<string, unknown>

export class Loaded implements Pick<Tools, 'look' | 'lookAll'> {
  readonly #rows = new Map<string, Row[]>()
  readonly #kept = new Map<string, readonly Row[]>()
  /** The names of the views that were looked up, in order. */
  readonly asked: string[] = []

  /** The later of two events about one fact wins. */
  put<F extends Fields>(dataset: Dataset<F>, events: readonly RowOf<F>[]): this {
    for (const view of dataset.views) {
      const identity = (row: Row) => dataset.identity.map(column => String(row[column])).join('|')
      const rows = new Map((this.#rows.get(view.name) ?? []).map(row => [identity(row), row]))
      for (const event of events) rows.set(identity(event), event)
      this.#rows.set(view.name, [...rows.values()])
      for (const name of this.#kept.keys()) if (name.split('|')[0] === view.name) this.#kept.delete(name)
    }
    return this
  }

  readonly look = async <R>(view: View<R>, ...key: (string | number)[]): Promise<R | undefined> =>
    (await this.lookAll(view, ...key))[0]

  /** Returns the same array for the same rows until the next `put`. */
  readonly lookAll = async <R>(view: View<R>, ...key: (string | number)[]): Promise<readonly R[]> => {
    this.asked.push(view.name)
    const name = [view.name, ...key].join('|')
    const rows = this.#kept.get(name) ?? this.#read(view, key)
    this.#kept.set(name, rows)
    return rows as readonly R[]
  }

  #read(view: View, key: readonly (string | number)[]): Row[] {
    const { by, newestBy, most } = view.looked ?? { by: [], newestBy: [], most: 0 }
    const place = (row: Row) => newestBy.map(column => String(row[column] ?? '')).join('|')
    return this.#newest(view)
      .filter(row => by.every((column, i) => row[column] === key[i]))
      .sort((a, b) => (place(a) < place(b) ? 1 : -1))
      .slice(0, most)
  }

  #newest(view: View): Row[] {
    const newest = new Map<string, Row>()
    for (const row of this.#rows.get(view.name) ?? []) {
      const name = view.key.map(column => String(row[column])).join('|')
      const before = newest.get(name)
      const isOlder = view.newest.some(column => String(row[column]) < String(before?.[column]))
      if (!before || !isOlder) newest.set(name, row)
    }
    return [...newest.values()]
  }
}
