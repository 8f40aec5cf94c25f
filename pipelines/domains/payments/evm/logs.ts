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

/** Both ends belong to it. */
export interface LogRange {
  from: number
  until: number
}

export interface WantedLogs extends LogRange {
  wallets: readonly string[]
}

type PlacedTransfer = TransferLog & {
  blockNumber: bigint
  blockHash: Hex
  blockTimestamp?: bigint | undefined
}
type PlacedUse = UseLog & { blockNumber: bigint }

export interface Marked extends Pick<Transfer, 'method' | 'nonce'> {
  log: PlacedTransfer
}

const walletsAtOnce = 200

const rangeOf = ({ from, until }: LogRange) =>
  ({ fromBlock: BigInt(from), toBlock: BigInt(until), strict: true }) as const

export const transfersTo = (ask: AskNode, address: Address, payees: readonly string[], range: LogRange) =>
  byGroups(payees, to =>
    ask<PlacedTransfer[]>(client =>
      client.getLogs({ address, event: transferred, args: { to }, ...rangeOf(range) }),
    ),
  )

const transfersFrom = (ask: AskNode, address: Address, payers: readonly string[], range: LogRange) =>
  byGroups(payers, from =>
    ask<PlacedTransfer[]>(client =>
      client.getLogs({ address, event: transferred, args: { from }, ...rangeOf(range) }),
    ),
  )

export const usesOf = (ask: AskNode, address: Address, payers: readonly string[], range: LogRange) =>
  byGroups(payers, authorizer =>
    ask<PlacedUse[]>(client =>
      client.getLogs({ address, event: authorizationUsed, args: { authorizer }, ...rangeOf(range) }),
    ),
  )

export async function markedTransfers(
  ask: AskNode,
  address: Address,
  { wallets, ...range }: WantedLogs,
): Promise<Marked[]> {
  const found = new Map<string, PlacedTransfer>()
  for (const read of [transfersTo, transfersFrom])
    for (const log of await read(ask, address, wallets, range))
      found.set(`${log.blockHash} ${log.logIndex}`, log)
  const transfers = [...found.values()]
  const uses = await usesOf(ask, address, [...new Set(transfers.map(({ args }) => args.from))], range)
  const proxies = Object.keys(permit2Proxies) as Address[]
  const settled: SettledLog[] = transfers.length
    ? await ask(client => client.getLogs({ address: proxies, events: settledEvents, ...rangeOf(range) }))
    : []
  const mark = markOf(uses, settled)
  return transfers.map(log => ({ log, ...mark(log) }))
}

/** Nodes take so many addresses in one question. */
async function byGroups<T>(
  wallets: readonly string[],
  read: (group: Address[]) => Promise<T[]>,
): Promise<T[]> {
  const all: T[] = []
  for (let i = 0; i < wallets.length; i += walletsAtOnce)
    for (const one of await read(wallets.slice(i, i + walletsAtOnce) as Address[])) all.push(one)
  return all
}
