/** Transfers by authorization as calls of a chain: one alone, or many in one transaction. */
import {
  type Address,
  decodeErrorResult,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  parseAbi,
  slice,
} from 'viem'

/** An EIP-3009 authorization in its own words, with the signature of its payer. */
export interface SignedTransfer {
  signature: string
  authorization: {
    from: string
    to: string
    value: string
    validAfter: string
    validBefore: string
    nonce: string
  }
}

/** Why the chain does not take a transfer now. */
export type Obstacle = 'used' | 'balance' | 'expired' | 'early' | 'signature' | 'blocked' | 'other'

/** Multicall3, which has this address on every chain. */
const multicall: Address = '0xcA11bde05977b3631167028862bE2a173976CA11'

const byKey = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
])
const byContract = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
])
const inOne = parseAbi([
  'struct Call { address target; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function tryAggregate(bool requireSuccess, Call[] calls) payable returns (Result[] results)',
])
const errors = parseAbi(['error Error(string reason)'])

const keySignatureLength = 2 + 2 * 65
/** The recovery number as older wallets write it. */
const lowestV = 27

export interface ChainCall {
  to: Address
  data: Hex
}

function dataOf({ authorization, signature }: SignedTransfer): Hex {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  const terms = [
    from as Address,
    to as Address,
    BigInt(value),
    BigInt(validAfter),
    BigInt(validBefore),
    nonce as Hex,
  ] as const
  if (signature.length !== keySignatureLength)
    return encodeFunctionData({ abi: byContract, args: [...terms, signature as Hex] })
  const [r, s] = [slice(signature as Hex, 0, 32), slice(signature as Hex, 32, 64)]
  const v = Number(slice(signature as Hex, 64, 65))
  return encodeFunctionData({ abi: byKey, args: [...terms, v < lowestV ? v + lowestV : v, r, s] })
}

/** One call each in one transaction. `mayFail`: one that fails takes no other with it. `tryAggregate` says that once for all of them. */
export const manyCalls = (
  asset: Address,
  transfers: readonly SignedTransfer[],
  mayFail: boolean,
): ChainCall => ({
  to: multicall,
  data: encodeFunctionData({
    abi: inOne,
    args: [!mayFail, transfers.map(one => ({ target: asset, callData: dataOf(one) }))],
  }),
})

/** One transfer needs nobody between us and the token. */
export const callOf = (asset: Address, transfers: readonly SignedTransfer[], mayFail: boolean): ChainCall => {
  const [only] = transfers
  return only && transfers.length === 1
    ? { to: asset, data: dataOf(only) }
    : manyCalls(asset, transfers, mayFail)
}

/** What stands in the way of each transfer, by the results of one simulated transaction. Undefined: nothing. */
export const obstaclesIn = (results: Hex): (Obstacle | undefined)[] =>
  decodeFunctionResult({ abi: inOne, data: results }).map(({ success, returnData }) =>
    success ? undefined : obstacleOf(returnData),
  )

const meanings: readonly (readonly [RegExp, Obstacle])[] = [
  [/authorization is used/, 'used'],
  [/exceeds balance/, 'balance'],
  [/is expired/, 'expired'],
  [/not yet valid/, 'early'],
  [/signature/, 'signature'],
  [/blacklist|paused/i, 'blocked'],
]

function obstacleOf(revert: Hex): Obstacle {
  const reason = reasonIn(revert)
  return meanings.find(([words]) => words.test(reason))?.[1] ?? 'other'
}

function reasonIn(revert: Hex): string {
  try {
    return decodeErrorResult({ abi: errors, data: revert }).args[0]
  } catch {
    // A contract may revert with anything, or with nothing.
    return ''
  }
}
