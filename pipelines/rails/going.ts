/** Work that goes on, by its name. Everybody who asks for the same at the same moment gets the same. */
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
