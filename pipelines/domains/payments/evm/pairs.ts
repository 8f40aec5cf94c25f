/** Tells which transfers were x402 payments, by the logs next to them. */
import { type Address, type Hex, parseAbi } from 'viem'
import type { Transfer } from '../transfer.ts'

export const [transferred, authorizationUsed] = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
])
export const settledEvents = parseAbi(['event Settled()', 'event SettledWithPermit()'])

/** The Permit2 proxies of x402, the older pair last. */
export const permit2Proxies: Readonly<Record<Address, 'permit2_exact' | 'permit2_upto'>> = {
  '0x402085c248eea27d92e8b30b2c58ed07f9e20001': 'permit2_exact',
  '0x4020a4f3b7b90cca423b9fabcc0ce57c6c240002': 'permit2_upto',
  '0x4020615294c913f045dc10f0a5cdebd86c280001': 'permit2_exact',
  '0x4020633461b2895a48930ff97ee8fcde8e520002': 'permit2_upto',
}

interface Placed {
  transactionHash: Hex
  logIndex: number
}
export type TransferLog = Placed & { args: { from: Address; to: Address; value: bigint } }
export type UseLog = Placed & { args: { authorizer: Address; nonce: Hex } }
export type SettledLog = Placed & { address: Address }
type Mark = Pick<Transfer, 'method' | 'nonce'>

/**
 * USDC marks an authorization as used and moves the money at once, so the transfer is the next log. The proxies log
 * their settlement right after it. A transfer further away is another one of the same transaction.
 */
export function markOf(
  uses: readonly UseLog[],
  settled: readonly SettledLog[],
): (transfer: TransferLog) => Mark {
  const place = ({ transactionHash }: Placed, index: number, payer = '') =>
    `${transactionHash} ${index} ${payer}`
  const marks = new Map<string, Mark>()
  for (const log of settled) {
    const method = permit2Proxies[log.address.toLowerCase() as Address]
    if (method) marks.set(place(log, log.logIndex - 1), { method, nonce: null })
  }
  for (const log of uses)
    marks.set(place(log, log.logIndex + 1, log.args.authorizer.toLowerCase()), {
      method: 'eip3009',
      nonce: log.args.nonce,
    })
  return log =>
    marks.get(place(log, log.logIndex, log.args.from.toLowerCase())) ??
    marks.get(place(log, log.logIndex)) ?? { method: 'plain', nonce: null }
}
