/** Reads the fields of an account: little-endian numbers and keys at their places. */
import { toBase58 } from '../../payments/svm/base58.ts'

/** The data is shorter than its layout, or has a value that no program writes. It does not belong at its address. */
export class NotThisLayout extends Error {
  override name = 'NotThisLayout'
}

export class Bytes {
  readonly data: Uint8Array
  readonly #view: DataView

  constructor(data: Uint8Array) {
    this.data = data
    this.#view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  }

  get length(): number {
    return this.data.length
  }

  u8 = (at: number): number => this.#in(at, 1).getUint8(at)
  u16 = (at: number): number => this.#in(at, 2).getUint16(at, true)
  u32 = (at: number): number => this.#in(at, 4).getUint32(at, true)
  i16 = (at: number): number => this.#in(at, 2).getInt16(at, true)
  i32 = (at: number): number => this.#in(at, 4).getInt32(at, true)
  u64 = (at: number): bigint => this.#in(at, 8).getBigUint64(at, true)
  i64 = (at: number): bigint => this.#in(at, 8).getBigInt64(at, true)
  u128 = (at: number): bigint => this.u64(at) + (this.u64(at + 8) << 64n)
  i128 = (at: number): bigint => this.u64(at) + (this.i64(at + 8) << 64n)
  f64 = (at: number): number => this.#in(at, 8).getFloat64(at, true)
  flag = (at: number): boolean => this.u8(at) !== 0

  key(at: number): string {
    this.#in(at, 32)
    return toBase58(this.data.subarray(at, at + 32))
  }

  /** A key after a tag of four bytes, as SPL Token writes an authority. Null if there is none. */
  optionalKey(at: number): string | null {
    return this.u32(at) === 0 ? null : this.key(at + 4)
  }

  /** A key as Token-2022 writes it. All zeros mean that there is none, and it returns null. */
  keyOrNull(at: number): string | null {
    this.#in(at, 32)
    return this.data.subarray(at, at + 32).some(byte => byte !== 0) ? this.key(at) : null
  }

  /** A text after its length in four bytes, and the place of the next field. */
  text(at: number): { text: string; end: number } {
    const length = this.u32(at)
    this.#in(at + 4, length)
    const end = at + 4 + length
    return { text: new TextDecoder().decode(this.data.subarray(at + 4, end)), end }
  }

  part(from: number, length: number): Bytes {
    this.#in(from, length)
    return new Bytes(this.data.subarray(from, from + length))
  }

  #in(at: number, length: number): DataView {
    if (at + length > this.data.length)
      throw new NotThisLayout(`${this.data.length} bytes, and a field ends at ${at + length}`)
    return this.#view
  }
}
