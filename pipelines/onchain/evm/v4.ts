/** Pools of Uniswap v4 are entries of one contract, the pool manager. They have an id, and no address. */
import {
  type Address,
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  numberToHex,
  parseAbi,
  parseAbiParameters,
  zeroAddress,
} from 'viem'
import type { Call } from './calls.ts'

export interface V4Key {
  currency0: Address
  currency1: Address
  fee: number
  tickSpacing: number
}

const keyForm = parseAbiParameters(
  'address currency0, address currency1, uint24 fee, int24 tickSpacing, address hooks',
)
const abi = parseAbi(['function extsload(bytes32 slot) view returns (bytes32)'])

/** The place of the pools in the storage of the manager, and that of the liquidity within a pool. */
const poolsSlot = 6
const liquidityPlace = 3n

/** The zero address is the native coin. */
export function v4Key(a: Address, b: Address, fee: number, tickSpacing: number): V4Key {
  const [currency0, currency1] = BigInt(a) < BigInt(b) ? [a, b] : [b, a]
  return { currency0, currency1, fee, tickSpacing }
}

export const v4Id = ({ currency0, currency1, fee, tickSpacing }: V4Key): Hex =>
  keccak256(encodeAbiParameters(keyForm, [currency0, currency1, fee, tickSpacing, zeroAddress]))

const placeOf = (id: Hex): bigint => BigInt(keccak256(concat([id, numberToHex(poolsSlot, { size: 32 })])))

const load = (manager: Address, place: bigint): Call => ({
  to: manager,
  data: encodeFunctionData({ abi, functionName: 'extsload', args: [numberToHex(place, { size: 32 })] }),
})

/** Its word is zero while there is no such pool. Its lowest 160 bits are the square root of the price. */
export const v4Slot0 = (manager: Address, id: Hex): Call => load(manager, placeOf(id))
export const v4Liquidity = (manager: Address, id: Hex): Call => load(manager, placeOf(id) + liquidityPlace)

export const rootIn = (slot0: bigint): bigint => BigInt.asUintN(160, slot0)
