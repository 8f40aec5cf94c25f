/**
 * Reads ERC-20 tokens as they are: some return their name as bytes32, with 10 KB, in letters that run backwards, or
 * not at all.
 */

import { type Address, decodeAbiParameters, getAddress, type Hex, hexToBytes, size } from 'viem'
import { families } from '../../../../schemas/tables/networks.ts'
import { fromAtoms } from '../../../../schemas/tables/stablecoins.ts'
import { withoutEnd } from '../../../../schemas/values/text-end.ts'
import { cleaned } from '../text.ts'
import { type ContractCall, callOf } from './call.ts'
import { type Returned, uintOf, wordOf } from './words.ts'

type Fact = 'name' | 'symbol' | 'decimals' | 'totalSupply'
export const tokenCall = (token: Address, fact: Fact): ContractCall => callOf(token, `${fact}()`)
export const balanceCall = (token: Address, account: Address): ContractCall =>
  callOf(token, 'balanceOf(address)', account)

/** No honest token has more decimals. Its amounts stay in atoms. */
const mostDecimals = 36n

export function decimalsOf(returned: Returned): number | null {
  const decimals = uintOf(returned)
  return decimals === undefined || decimals > mostDecimals ? null : Number(decimals)
}

export interface TokenText {
  text: string | null
  /** The text had to be cleaned. */
  odd: boolean
}

const mostBytes = 20_000

export function textOf(returned: Returned): TokenText {
  if (!returned) return { text: null, odd: true }
  return cleaned(rawText(returned) ?? '')
}

function rawText(returned: Hex): string | undefined {
  const short: Hex = size(returned) > mostBytes ? `0x${returned.slice(2, 2 + 2 * mostBytes)}` : returned
  const word = wordOf(short)
  if (word === undefined) return undefined
  // A bytes32 is one word. A string is the place of its length, its length, and its bytes.
  if (size(short) === 32) return withoutEnd(utf8(word), '\0')
  try {
    return utf8(decodeAbiParameters([{ type: 'bytes' }], short)[0])
  } catch {
    // A stranger wrote the contract. Its answer is not text.
    return undefined
  }
}

const utf8 = (bytes: Hex): string => new TextDecoder().decode(hexToBytes(bytes))

export const inUnits = (atoms: bigint | undefined, decimals: number | null): string | null =>
  atoms === undefined || decimals === null ? null : fromAtoms(atoms, decimals)

/** Addresses as people write them, with their checksum. The id of a v4 pool has no checksum. */
export const shownAddress = (address: Hex): Hex =>
  families.evm.address.test(address) ? getAddress(address) : address
