/** Answers that were unpacked a moment ago, for all who fetch them: to unpack a large one takes long, and takes its memory each time. */
import { Bounded } from '../../../pipelines/rails/bounded.ts'

interface Unpacking {
  text: Promise<string>
  /** Undefined while it is unpacked. */
  length: number | undefined
}

const mostUnpacked = 256
/** In characters. What is being unpacked is held by its callers. */
const mostUnpackedLength = 32 << 20
const keptMs = 30_000

export class Unpacked {
  readonly #held = new Bounded<Unpacking>({
    most: mostUnpacked,
    mostWeight: mostUnpackedLength,
    weigh: ({ length }) => length ?? 0,
    stays: ({ length }) => length === undefined,
  })

  of(packed: string, unpack: () => Promise<string>): Promise<string> {
    const known = this.#held.ask(packed)
    if (known) return known.text
    const unpacking: Unpacking = { text: unpack(), length: undefined }
    this.#held.set(packed, unpacking)
    const forget = () => {
      if (this.#held.peek(packed) === unpacking) this.#held.delete(packed)
    }
    unpacking.text.then(({ length }) => {
      unpacking.length = length
      this.#held.weigh(packed)
      setTimeout(forget, keptMs).unref()
    }, forget)
    return unpacking.text
  }
}
