/** Writes accounts with the bytes of their programs, in their published layouts. */

import { accountMark } from '../../../../../pipelines/domains/chain/svm/pools/account-mark.ts'
import { fromBase58 } from '../../../../../pipelines/domains/payments/svm/base58.ts'

type Field =
  | { u8: number }
  | { u16: number }
  | { u32: number }
  | { i32: number }
  | { u64: bigint }
  | { i64: bigint }
  | { u128: bigint }
  | { i128: bigint }
  | { key: string }
  | { mark: string }
  | { bytes: Uint8Array }

/** `fields`: each at its place. */
export function account(length: number, fields: Readonly<Record<number, Field>>): Buffer {
  const data = Buffer.alloc(length)
  for (const [place, field] of Object.entries(fields)) write(data, Number(place), field)
  return data
}

function write(data: Buffer, at: number, field: Field): void {
  if ('u8' in field) data.writeUInt8(field.u8, at)
  else if ('u16' in field) data.writeUInt16LE(field.u16, at)
  else if ('u32' in field) data.writeUInt32LE(field.u32, at)
  else if ('i32' in field) data.writeInt32LE(field.i32, at)
  else if ('u64' in field) data.writeBigUInt64LE(field.u64, at)
  else if ('i64' in field) data.writeBigInt64LE(field.i64, at)
  else if ('u128' in field) wide(data, at, field.u128)
  else if ('i128' in field) wide(data, at, BigInt.asUintN(128, field.i128))
  else if ('key' in field) data.set(fromBase58(field.key) as Uint8Array, at)
  else if ('mark' in field) data.set(accountMark(field.mark), at)
  else data.set(field.bytes, at)
}

function wide(data: Buffer, at: number, value: bigint): void {
  data.writeBigUInt64LE(value & 0xffff_ffff_ffff_ffffn, at)
  data.writeBigUInt64LE(value >> 64n, at + 8)
}

interface MintFields {
  decimals?: number
  supply?: bigint
  mintAuthority?: string
  freezeAuthority?: string
}

export function mint({
  decimals = 6,
  supply = 1_000_000_000_000n,
  mintAuthority,
  freezeAuthority,
}: MintFields = {}) {
  return account(82, {
    ...(mintAuthority && { 0: { u32: 1 }, 4: { key: mintAuthority } }),
    36: { u64: supply },
    44: { u8: decimals },
    45: { u8: 1 },
    ...(freezeAuthority && { 46: { u32: 1 }, 50: { key: freezeAuthority } }),
  })
}

/** A mint of Token-2022: the fields of a mint, followed by its extensions by type. */
export function mint2022(
  extensions: readonly [type: number, value: Uint8Array][],
  fields: MintFields = {},
): Buffer {
  const entries = extensions.flatMap(([type, value]) => {
    const head = Buffer.alloc(4)
    head.writeUInt16LE(type, 0)
    head.writeUInt16LE(value.length, 2)
    return [head, value]
  })
  const head = Buffer.alloc(166)
  head.set(mint(fields))
  head[165] = 1
  return Buffer.concat([head, ...entries])
}

export function tokenAccountData(mint: string, owner: string, amount: bigint, state = 1): Buffer {
  return account(165, { 0: { key: mint }, 32: { key: owner }, 64: { u64: amount }, 108: { u8: state } })
}

export const key = (text: string): Buffer => Buffer.from(fromBase58(text) as Uint8Array)

export function text(value: string): Buffer {
  const bytes = Buffer.from(value)
  const head = Buffer.alloc(4)
  head.writeUInt32LE(bytes.length)
  return Buffer.concat([head, bytes])
}
