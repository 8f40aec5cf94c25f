/** Reads places of a contract's storage: in one call where the node lends the contract code that tells them, or each by itself. */
import type { Address, Hex } from 'viem'
import { wordsIn } from './call.ts'
import type { EvmNodes } from './nodes.ts'
import { isRefusal } from './simulate.ts'
import { wordsOf } from './words.ts'

/** For each place: push it, load it, push where it goes, store it there. */
const tellerOf = (places: readonly Hex[]): Hex => {
  const at = (i: number) => (32 * i).toString(16).padStart(4, '0')
  const reads = places.map((place, i) => `7f${wordsIn(place)}5461${at(i)}52`).join('')
  return `0x${reads}61${at(places.length)}5ff3`
}

/** `most`: of these, only the first so many are read by a node that lends nothing. */
export async function storedAt(
  nodes: EvmNodes,
  address: Address,
  places: readonly Hex[],
  most: number,
  blockNumber: bigint,
): Promise<Hex[]> {
  const { answer } = await nodes.ask(async client => {
    try {
      const stateOverride = [{ address, code: tellerOf(places) }]
      return (await client.call({ to: address, blockNumber, stateOverride })).data
    } catch (error) {
      if (isRefusal(error)) return undefined
      throw error
    }
  })
  const told = wordsOf(answer)
  if (told.length === places.length) return told
  const read = places
    .slice(0, most)
    .map(slot => nodes.ask(client => client.getStorageAt({ address, slot, blockNumber })))
  return (await Promise.all(read)).map(({ answer: word = '0x' }) => word)
}
