/**
 * Data that the log of a transfer may lack: the sender of its transaction, and the time of its block. Each is fetched
 * once.
 */
import type { Hex, PublicClient } from 'viem'
import { Bounded } from '../../../rails/bounded.ts'
import type { Transfer } from '../transfer.ts'
import type { AskNode, Marked } from './logs.ts'

/** The number of calls in one request to a node. */
export const batchSize = 10
const most = 20_000

export class TransferFacts {
  readonly #senders = new Bounded<string>({ most })
  readonly #times = new Bounded<number>({ most })

  async complete(marked: readonly Marked[], ask: AskNode): Promise<Transfer[]> {
    const paying = marked.filter(({ method }) => method !== 'plain')
    const paid = paying.map(({ log }) => log.transactionHash)
    const senders = await known(this.#senders, paid, hashes =>
      ask(client => Promise.all(hashes.map(hash => senderOf(client, hash))), 'many'),
    )
    // Newer nodes put the time into the log.
    const untimed = marked.filter(({ log }) => !log.blockTimestamp).map(({ log }) => log.blockHash)
    const times = await known(this.#times, untimed, hashes =>
      ask(client => Promise.all(hashes.map(hash => blockTime(client, hash))), 'many'),
    )
    return marked.map(({ log, method, nonce }) => ({
      tx: log.transactionHash,
      position: log.logIndex,
      block: Number(log.blockNumber),
      atMs: log.blockTimestamp ? Number(log.blockTimestamp) * 1000 : (times.get(log.blockHash) as number),
      payer: log.args.from.toLowerCase(),
      payTo: log.args.to.toLowerCase(),
      amount: log.args.value,
      method,
      nonce,
      facilitator: method === 'plain' ? null : (senders.get(log.transactionHash) as string),
    }))
  }
}

/** The values of all keys. Unknown values are fetched, some at a time. */
async function known<T>(
  memory: Bounded<T>,
  keys: readonly Hex[],
  fetch: (keys: Hex[]) => Promise<T[]>,
): Promise<ReadonlyMap<Hex, T>> {
  const found = new Map<Hex, T | undefined>(keys.map(key => [key, memory.ask(key)]))
  const missing = [...found.keys()].filter(key => found.get(key) === undefined)
  for (let i = 0; i < missing.length; i += batchSize) {
    const part = missing.slice(i, i + batchSize)
    const values = await fetch(part)
    for (const [j, key] of part.entries()) {
      found.set(key, values[j])
      memory.set(key, values[j] as T)
    }
  }
  return found as Map<Hex, T>
}

const senderOf = async (client: PublicClient, hash: Hex): Promise<string> =>
  (await client.getTransaction({ hash })).from.toLowerCase()
const blockTime = async (client: PublicClient, blockHash: Hex): Promise<number> =>
  timeOf(await client.getBlock({ blockHash }))
/** In milliseconds. */
export const timeOf = ({ timestamp }: { timestamp: bigint }): number => Number(timestamp) * 1000
