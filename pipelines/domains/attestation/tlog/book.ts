/** All entries of the log in their order, each once. A million of them take about 150 MB. */
import canonicalize from 'canonicalize'
import { leafHash } from './merkle.ts'
import { Tree } from './tree.ts'

export interface LogEntry {
  statement_sha256: string
  signature: string
  /** The hash of all time-stamps in their order, joined together. So none can be removed later. */
  timestamps_sha256: string
}

/** The bytes of an entry for the log's hash and tiles: canonical JSON. */
export const recordOf = ({ statement_sha256, signature, timestamps_sha256 }: LogEntry): Buffer =>
  Buffer.from(canonicalize({ statement_sha256, signature, timestamps_sha256 }) ?? '')

const hashBytes = 32
const signatureBytes = 65
const packedBytes = 2 * hashBytes + signatureBytes
const inChunk = 2048

export class LogBook {
  readonly tree = new Tree()
  readonly #chunks: Buffer[] = []
  /** An open hash table of places plus one. The first bytes of a statement's hash find its place. */
  #places = new Uint32Array(1024)

  get size(): number {
    return this.tree.size
  }

  /** Returns false if the log has this statement already. */
  add(entry: LogEntry): boolean {
    const key = Buffer.from(entry.statement_sha256, 'hex')
    if (this.#find(key) !== undefined) return false
    const index = this.size
    const place = index % inChunk
    if (place === 0) this.#chunks.push(Buffer.alloc(inChunk * packedBytes))
    const packed = Buffer.concat([
      key,
      Buffer.from(entry.signature.slice(2), 'hex'),
      Buffer.from(entry.timestamps_sha256, 'hex'),
    ])
    packed.copy(this.#chunks.at(-1) as Buffer, place * packedBytes)
    this.tree.append(leafHash(recordOf(entry)))
    if (this.size * 2 > this.#places.length) this.#grow()
    else this.#put(index)
    return true
  }

  indexOf(statementSha256: string): number | undefined {
    return this.#find(Buffer.from(statementSha256, 'hex'))
  }

  record(index: number): Buffer {
    const packed = this.#packed(index)
    return recordOf({
      statement_sha256: packed.toString('hex', 0, hashBytes),
      signature: `0x${packed.toString('hex', hashBytes, hashBytes + signatureBytes)}`,
      timestamps_sha256: packed.toString('hex', hashBytes + signatureBytes),
    })
  }

  #packed(index: number): Buffer {
    const start = (index % inChunk) * packedBytes
    return (this.#chunks[Math.floor(index / inChunk)] as Buffer).subarray(start, start + packedBytes)
  }

  #find(key: Buffer): number | undefined {
    const mask = this.#places.length - 1
    for (let slot = key.readUInt32BE(0) & mask; ; slot = (slot + 1) & mask) {
      const place = this.#places[slot] ?? 0
      if (place === 0) return undefined
      if (key.equals(this.#packed(place - 1).subarray(0, hashBytes))) return place - 1
    }
  }

  #put(index: number): void {
    const mask = this.#places.length - 1
    let slot = this.#packed(index).readUInt32BE(0) & mask
    while (this.#places[slot]) slot = (slot + 1) & mask
    this.#places[slot] = index + 1
  }

  #grow(): void {
    this.#places = new Uint32Array(this.#places.length * 2)
    for (let index = 0; index < this.size; index++) this.#put(index)
  }
}
