/** Pools of Uniswap v4 are entries of one contract, the pool manager. They have an id, but no address. */
import { type Address, type Hex, zeroAddress } from 'viem'
import { keccak256 } from '../../../rails/signing/keccak256.ts'
import { type ContractCall, callOf, type WordValue, wordsIn } from './call.ts'

export interface V4Key {
  currency0: Address
  currency1: Address
  fee: number
  tickSpacing: number
}

/** The place of the pools in the manager's storage, and that of the liquidity within a pool. */
const poolsSlot = 6
const liquidityPlace = 3n

/** The zero address is the native coin. */
export function v4Key(a: Address, b: Address, fee: number, tickSpacing: number): V4Key {
  const [currency0, currency1] = BigInt(a) < BigInt(b) ? [a, b] : [b, a]
  return { currency0, currency1, fee, tickSpacing }
}

const hashOf = (...values: readonly WordValue[]): Hex =>
  `0x${keccak256(Buffer.from(wordsIn(...values), 'hex'))}`

export const v4Id = ({ currency0, currency1, fee, tickSpacing }: V4Key): Hex =>
  hashOf(currency0, currency1, fee, tickSpacing, zeroAddress)

const placeOf = (id: Hex): bigint => BigInt(hashOf(id, poolsSlot))

const load = (manager: Address, place: bigint): ContractCall => callOf(manager, 'extsload(bytes32)', place)

/** Its word is zero if there is no such pool. The lowest 160 bits are the square root of the price. */
export const v4Slot0 = (manager: Address, id: Hex): ContractCall => load(manager, placeOf(id))
export const v4Liquidity = (manager: Address, id: Hex): ContractCall =>
  load(manager, placeOf(id) + liquidityPlace)

export const rootIn = (slot0: bigint): bigint => BigInt.asUintN(160, slot0)
