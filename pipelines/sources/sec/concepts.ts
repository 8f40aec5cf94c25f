/** Cuts a document of company facts into its concepts while it streams, so that memory never holds a whole company. */
import { UpstreamFailed } from '../../rails/failures.ts'

const quote = 0x22
const backslash = 0x5c
const [open, close] = [0x7b, 0x7d]
const [openList, closeList] = [0x5b, 0x5d]
/**
 * {"facts":{"us-gaap":{"Assets":{ ... }}}}: a key in the third object names a concept, and its value is the concept.
 */
const taxonomyDepth = 2
const conceptDepth = 3

/** Of a concept. All that a company has filed of one in 15 years are 100 KB. */
const mostConceptBytes = 2 << 20

export interface Concept {
  taxonomy: string
  name: string
  /** The object of the concept, as JSON. */
  json: string
}

export class ConceptCutter {
  #depth = 0
  #inString = false
  #escaped = false
  /** Bytes of the current key or concept from earlier chunks. */
  #kept: Buffer[] = []
  #keptBytes = 0
  #keys: string[] = []
  #key = ''

  /** Whether the document is complete. */
  get done(): boolean {
    return this.#depth === 0 && !this.#inString
  }

  /** Yields the concepts that this chunk completes. */
  *cut(chunk: Buffer): Generator<Concept> {
    let start = this.#depth > conceptDepth || this.#inString ? 0 : -1
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i]
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false
        else if (byte === backslash) this.#escaped = true
        else if (byte === quote) {
          this.#inString = false
          if (this.#depth <= conceptDepth) {
            this.#key = this.#take(chunk, start, i)
            start = -1
          }
        }
        continue
      }
      if (byte === quote) {
        this.#inString = true
        if (this.#depth <= conceptDepth) start = i + 1
      } else if (byte === open || byte === openList) {
        if (this.#depth === conceptDepth) start = i
        this.#keys[this.#depth] = this.#key
        this.#depth++
      } else if (byte === close || byte === closeList) {
        this.#depth--
        if (this.#depth !== conceptDepth) continue
        const json = this.#take(chunk, start, i + 1)
        start = -1
        yield { taxonomy: this.#keys[taxonomyDepth] ?? '', name: this.#keys[conceptDepth] ?? '', json }
      }
    }
    if (start < 0) return
    this.#kept.push(chunk.subarray(start))
    this.#keptBytes += chunk.length - start
    if (this.#keptBytes > mostConceptBytes)
      throw new UpstreamFailed(`a concept has more than ${mostConceptBytes} bytes`)
  }

  #take(chunk: Buffer, start: number, end: number): string {
    const last = chunk.subarray(Math.max(start, 0), end)
    const whole = this.#kept.length ? Buffer.concat([...this.#kept, last]) : last
    this.#kept = []
    this.#keptBytes = 0
    return whole.toString('utf8')
  }
}
