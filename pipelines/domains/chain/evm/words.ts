/** The return values of calls, in words of 32 bytes. A stranger's contract may return anything. */
import { type Address, type Hex, hexToBigInt, size, slice } from 'viem'

/** The return value of a call. Undefined if it failed, or if there is no contract. */
export type Returned = Hex | undefined

/** The first word of a return value. Undefined if it is shorter than one word. */
export const wordOf = (returned: Returned): Hex | undefined =>
  returned && size(returned) >= 32 ? slice(returned, 0, 32) : undefined

export const uintOf = (returned: Returned): bigint | undefined => {
  const word = wordOf(returned)
  return word && hexToBigInt(word)
}

/** Undefined for the zero address, and for a word that is not an address. */
export function addressOf(returned: Returned): Address | undefined {
  const word = wordOf(returned)
  if (!word || hexToBigInt(word) === 0n || hexToBigInt(slice(word, 0, 12)) !== 0n) return undefined
  return slice(word, 12)
}

/** The words of a return value. */
export const wordsOf = (returned: Returned): Hex[] =>
  returned
    ? Array.from({ length: Math.floor(size(returned) / 32) }, (_, i) => slice(returned, i * 32, i * 32 + 32))
    : []
