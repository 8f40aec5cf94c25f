/** Writes the two accounts of the SPL Token program that the sandbox needs, with the same bytes as the program. */
import {
  type Address,
  address,
  getAddressDecoder,
  getAddressEncoder,
  getProgramDerivedAddress,
} from '@solana/kit'

export const tokenProgram = address('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')

const mintBytes = 82
const decimalsAt = 44
const initializedAt = 45

export const tokenBytes = 165
const ownerAt = 32
const amountAt = 64
const stateAt = 108

/** A mint without mint or freeze authority. */
export function mintData(decimals = 6): Uint8Array {
  const data = new Uint8Array(mintBytes)
  data[decimalsAt] = decimals
  data[initializedAt] = 1
  return data
}

export function tokenData(mint: Address, owner: Address): Uint8Array {
  const data = new Uint8Array(tokenBytes)
  data.set(getAddressEncoder().encode(mint), 0)
  data.set(getAddressEncoder().encode(owner), ownerAt)
  data[stateAt] = 1
  return data
}

const view = (data: Uint8Array) => new DataView(data.buffer, data.byteOffset, data.byteLength)

export const tokenAmount = (data: Uint8Array): bigint => view(data).getBigUint64(amountAt, true)

export function withTokenAmount(data: Uint8Array, amount: bigint): Uint8Array {
  const changed = new Uint8Array(data)
  view(changed).setBigUint64(amountAt, amount, true)
  return changed
}

/** Longer accounts belong to Token-2022. The next byte says what they are. */
export const isTokenData = (data: Uint8Array): boolean => data.length === tokenBytes || data[tokenBytes] === 2

export const mintDecimals = (data: Uint8Array): number => data[decimalsAt] ?? 0

export const tokenMint = (data: Uint8Array): Address => getAddressDecoder().decode(data.subarray(0, ownerAt))

export const tokenOwner = (data: Uint8Array): Address =>
  getAddressDecoder().decode(data.subarray(ownerAt, ownerAt + 32))

/** The associated token account: it holds an owner's tokens of one mint. */
export async function usdcAccount(owner: Address, mint: Address): Promise<Address> {
  const programAddress = address('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL')
  const seeds = [owner, tokenProgram, mint].map(part => getAddressEncoder().encode(part))
  const [account] = await getProgramDerivedAddress({ programAddress, seeds })
  return account
}
