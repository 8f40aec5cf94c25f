/** Reads the logs of USDC transfers to and from some wallets, and marks each with its payment method. */
import type { Address, Hex, PublicClient } from 'viem'
import type { Transfer } from '../transfer.ts'
import {
  authorizationUsed,
  markOf,
  permit2Proxies,
  type SettledLog,
  settledEvents,
  type TransferLog,
  transferred,
  type UseLog,
} from './pairs.ts'

/** `many`: the call has several parts, which may go in one request. */
export type AskNode = <T>(call: (client: PublicClient) => Promise<T>, many?: 'many') => Promise<T>

export interface WantedLogs {
  wallets: readonly string[]
  from: number
  until: number
}

export interface Marked extends Pick<Transfer, 'method' | 'nonce'> {
  log: TransferLog & { blockNumber: bigint; blockHash: Hex; blockTimestamp?: bigint | undefined }
}

const walletsAtOnce = 200

export async function markedTransfers(
  ask: AskNode,
  address: Address,
  { wallets, from, until }: WantedLogs,
): Promise<Marked[]> {
  const range = { fromBlock: BigInt(from), toBlock: BigInt(until), strict: true } as const
  const found = new Map<string, Marked['log']>()
  for (const group of groupsOf(wallets))
    for (const args of [{ to: group as Address[] }, { from: group as Address[] }])
      for (const log of await ask(client => client.getLogs({ address, event: transferred, args, ...range })))
        found.set(`${log.blockHash} ${log.logIndex}`, log)
  const transfers = [...found.values()]
  const uses: UseLog[] = []
  for (const authorizer of groupsOf([...new Set(transfers.map(({ args }) => args.from))]))
    uses.push(
      ...(await ask(client =>
        client.getLogs({ address, event: authorizationUsed, args: { authorizer }, ...range }),
      )),
    )
  const proxies = Object.keys(permit2Proxies) as Address[]
  const settled: SettledLog[] = transfers.length
    ? await ask(client => client.getLogs({ address: proxies, events: settledEvents, ...range }))
    : []
  const mark = markOf(uses, settled)
  return transfers.map(log => ({ log, ...mark(log) }))
}

const groupsOf = <T>(items: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(items.length / walletsAtOnce) }, (_, i) =>
    items.slice(i * walletsAtOnce, (i + 1) * walletsAtOnce),
  )
