/** Addresses that programs derive from seeds. Each derivation tries curve points, so the results are kept. */
import { setImmediate } from 'node:timers/promises'
import { PublicKey } from '@solana/web3.js'
import { Bounded } from '../../../rails/bounded.ts'
import { fromBase58 } from '../../payments/svm/base58.ts'
import { metadataProgram } from './programs.ts'

type Seed = string | { key: string } | Uint8Array

const most = 50_000
const known = new Bounded<string>({ most })

export function derivedAddress(program: string, ...seeds: readonly Seed[]): string {
  const bytes = seeds.map(bytesOf)
  const name = `${program} ${bytes.map(seed => Buffer.from(seed).toString('hex')).join(' ')}`
  const found = known.peek(name)
  if (found) return found
  const derived = PublicKey.findProgramAddressSync(bytes, new PublicKey(program))[0].toBase58()
  known.set(name, derived)
  return derived
}

const atOnce = 8

/** A derivation takes a third of a millisecond. A long run of them lets other work run in between. */
export async function inTurns<Item, Result>(
  items: readonly Item[],
  derive: (item: Item) => Result,
): Promise<Result[]> {
  const results: Result[] = []
  for (const [i, item] of items.entries()) {
    if (i % atOnce === atOnce - 1) await setImmediate()
    results.push(derive(item))
  }
  return results
}

function bytesOf(seed: Seed): Uint8Array {
  if (typeof seed === 'string') return Buffer.from(seed)
  return seed instanceof Uint8Array ? seed : keyBytes(seed.key)
}

export function u16Le(value: number): Uint8Array {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}

export function u16Be(value: number): Uint8Array {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}

export function i32Be(value: number): Uint8Array {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

export function i64Le(value: number): Uint8Array {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64LE(BigInt(value))
  return bytes
}

/** The two mints of a pair, sorted by their bytes: every pool here keeps them in this order. */
export const inOrder = (a: string, b: string): [string, string] =>
  Buffer.compare(keyBytes(a), keyBytes(b)) < 0 ? [a, b] : [b, a]

const keyBytes = (key: string): Uint8Array => fromBase58(key) as Uint8Array

export const metadataOf = (mint: string): string =>
  derivedAddress(metadataProgram, 'metadata', { key: metadataProgram }, { key: mint })
