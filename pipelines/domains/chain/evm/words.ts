/** What calls return, in words of 32 bytes. A contract of a stranger may return anything. */
import { type Address, type Hex, hexToBigInt, size, slice } from 'viem'

/** What a call returned. Undefined: it failed, or there is no contract. */
export type Returned = Hex | undefined

/** The first word of what a call returned. Undefined: it returned less than one. */
export const wordOf = (returned: Returned): Hex | undefined =>
  returned && size(returned) >= 32 ? slice(returned, 0, 32) : undefined

export const uintOf = (returned: Returned): bigint | undefined => {
  const word = wordOf(returned)
  return word && hexToBigInt(word)
}

/** Undefined: no address, or the zero address. */
export function addressOf(returned: Returned): Address | undefined {
  const word = wordOf(returned)
  if (!word || hexToBigInt(word) === 0n || hexToBigInt(slice(word, 0, 12)) !== 0n) return undefined
  return slice(word, 12)
}

/** The words of what a call returned, from the first. */
export const wordsOf = (returned: Returned): Hex[] =>
  returned
    ? Array.from({ length: Math.floor(size(returned) / 32) }, (_, i) => slice(returned, i * 32, i * 32 + 32))
    : []
