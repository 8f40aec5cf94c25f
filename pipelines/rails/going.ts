/** Work in progress, by name. Callers that ask for the same work at the same time share its result. */
export class Going<T> {
  readonly #going = new Map<string, Promise<T>>()

  share(name: string, begin: () => Promise<T>): Promise<T> {
    const same = this.#going.get(name)
    if (same) return same
    const work = begin().finally(() => this.#going.delete(name))
    this.#going.set(name, work)
    return work
  }
}
