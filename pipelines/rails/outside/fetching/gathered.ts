/** Joins the pieces of a body, whatever their size. A piece of one byte costs one byte, and not the memory of a buffer. */
const leastBlock = 16 << 10

export class Gathered {
  #block = Buffer.alloc(0)
  #size = 0

  get size(): number {
    return this.#size
  }

  add(piece: Buffer): void {
    const size = this.#size + piece.length
    if (size > this.#block.length) {
      // Twice as large each time, so that each byte is copied about twice.
      const larger = Buffer.allocUnsafeSlow(Math.max(leastBlock, 2 * size))
      this.#block.copy(larger, 0, 0, this.#size)
      this.#block = larger
    }
    piece.copy(this.#block, this.#size)
    this.#size = size
  }

  /** Copied into memory of their own, so that keeping them keeps nothing else alive. */
  bytes(): Buffer {
    const own = Buffer.allocUnsafeSlow(this.#size)
    this.#block.copy(own, 0, 0, this.#size)
    return own
  }
}
