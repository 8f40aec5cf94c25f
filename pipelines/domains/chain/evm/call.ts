/** One call of a contract. It is encoded here, because a price makes hundreds, and viem hashes the name of each again. */
import { type Address, type Hex, toFunctionSelector } from 'viem'

export interface ContractCall {
  to: Address
  data: Hex
}

/** Each value fills one word: an address, a number, a flag, or 32 bytes. */
export type WordValue = Hex | bigint | number | boolean

function wordIn(value: WordValue): string {
  if (typeof value === 'string') return value.slice(2).toLowerCase().padStart(64, '0')
  const number = typeof value === 'boolean' ? Number(value) : value
  return (number < 0 ? BigInt.asUintN(256, BigInt(number)) : number).toString(16).padStart(64, '0')
}

export const wordsIn = (...values: readonly WordValue[]): string => values.map(wordIn).join('')

const selectors = new Map<string, Hex>()

function selectorOf(signature: string): Hex {
  const known = selectors.get(signature) ?? toFunctionSelector(signature)
  selectors.set(signature, known)
  return known
}

/** `signature`: such as `getPair(address,address)`. Every argument has a fixed size. */
export const callOf = (to: Address, signature: string, ...values: readonly WordValue[]): ContractCall => ({
  to,
  data: `${selectorOf(signature)}${wordsIn(...values)}`,
})

/** The data of Multicall3's `aggregate3`, with every call allowed to fail. */
export function aggregated(calls: readonly ContractCall[]): Hex {
  const tails = calls.map(({ to, data }) => {
    const bytes = data.slice(2)
    const padded = bytes.padEnd(Math.ceil(bytes.length / 64) * 64, '0')
    return `${wordsIn(to, true, 3 * wordBytes, bytes.length / 2)}${padded}`
  })
  let place = wordBytes * calls.length
  const places = tails.map(tail => {
    const own = place
    place += tail.length / 2
    return own
  })
  const selector = selectorOf('aggregate3((address,bool,bytes)[])')
  return `${selector}${wordsIn(wordBytes, calls.length, ...places)}${tails.join('')}`
}

const wordBytes = 32
