/** A Merkle tree that grows. It holds the hash of every whole subtree: 64 bytes for each leaf. */
import { emptyRoot, type Hash, nodeHash } from './merkle.ts'

export class Tree {
  /** By level: the hash of each whole subtree of 2^level leaves. */
  readonly #levels: Hashes[] = []

  get size(): number {
    return this.#levels[0]?.size ?? 0
  }

  append(leaf: Hash): void {
    let hash = leaf
    for (let level = 0; ; level++) {
      this.#levels[level] ??= new Hashes()
      const hashes = this.#levels[level] as Hashes
      hashes.push(hash)
      if (hashes.size % 2 === 1) return
      hash = nodeHash(hashes.at(hashes.size - 2), hashes.at(hashes.size - 1))
    }
  }

  /** The root of the first `size` leaves. */
  root(size = this.size): Hash {
    return size === 0 ? emptyRoot : this.#hash(0, size)
  }

  /** The hashes beside the path from a leaf to the root, the lowest first. */
  inclusion(index: number, size = this.size): Hash[] {
    return this.#path(index, 0, size)
  }

  /** Shows that the tree of size `to` begins with the tree of size `from`. */
  consistency(from: number, to = this.size): Hash[] {
    return from === to ? [] : this.#joined(from, 0, to, true)
  }

  /** The hashes of subtrees of 2^level leaves, beginning with the one at `start`. */
  hashes(level: number, start: number, count: number): Buffer {
    const hashes = this.#levels[level]
    return Buffer.concat(Array.from({ length: count }, (_, i) => (hashes as Hashes).at(start + i)))
  }

  #hash(start: number, end: number): Hash {
    const split = splitOf(end - start)
    // The hash of a whole subtree is stored, because every subtree starts at a multiple of its size.
    if (split * 2 === end - start || end - start === 1)
      return (this.#levels[Math.log2(end - start)] as Hashes).at(start / (end - start))
    return nodeHash(this.#hash(start, start + split), this.#hash(start + split, end))
  }

  #path(index: number, start: number, end: number): Hash[] {
    if (end - start === 1) return []
    const middle = start + splitOf(end - start)
    return index < middle
      ? [...this.#path(index, start, middle), this.#hash(middle, end)]
      : [...this.#path(index, middle, end), this.#hash(start, middle)]
  }

  /** `isKnown`: the verifier has the hash of this subtree, because it is the earlier tree. */
  #joined(from: number, start: number, end: number, isKnown: boolean): Hash[] {
    if (from === end) return isKnown ? [] : [this.#hash(start, end)]
    const middle = start + splitOf(end - start)
    return from <= middle
      ? [...this.#joined(from, start, middle, isKnown), this.#hash(middle, end)]
      : [...this.#joined(from, middle, end, false), this.#hash(start, middle)]
  }
}

/** The largest power of two below `size`; 1 for 2 and less. */
const splitOf = (size: number): number => (size <= 2 ? 1 : 2 ** Math.floor(Math.log2(size - 1)))

const inChunk = 4096

/** Hashes in sequence, in chunks that the garbage collector does not scan. */
class Hashes {
  readonly #chunks: Buffer[] = []
  size = 0

  push(hash: Hash): void {
    const place = this.size % inChunk
    if (place === 0) this.#chunks.push(Buffer.alloc(inChunk * 32))
    hash.copy(this.#chunks.at(-1) as Buffer, place * 32)
    this.size++
  }

  at(index: number): Hash {
    if (!(index >= 0 && index < this.size)) throw new RangeError(`hash ${index} of ${this.size}`)
    const place = (index % inChunk) * 32
    return (this.#chunks[Math.floor(index / inChunk)] as Buffer).subarray(place, place + 32)
  }
}
