/** Base as an indexer sees it: every USDC transfer to or from some wallets, range by range, however small a node wants them. */
import { type Address, createPublicClient, type Hex, http, type PublicClient } from 'viem'
import { networks } from '../../schemas/networks.ts'
import {
  authorizationUsed,
  markOf,
  permit2Proxies,
  type SettledLog,
  settledEvents,
  type TransferLog,
  transferred,
  type UseLog,
} from './base-pairing.ts'
import { Endpoints, TooMuch } from './endpoints.ts'
import { Remembered } from './remembered.ts'
import type { Transfer } from './transfer.ts'

export interface Head {
  block: number
  hash: string
  atMs: number
}

export interface Wanted {
  wallets: readonly string[]
  from: number
  until: number
}

export interface BaseReader {
  network: 'base' | 'base-sepolia'
  head(block: number | 'finalized' | 'latest', signal: AbortSignal): Promise<Head>
  /** As many of the blocks, from the first on, as a node gives at once: up to `to`, which is included. */
  read(wanted: Wanted, signal: AbortSignal): Promise<{ to: number; transfers: Transfer[] }>
}

export interface ReaderOptions {
  network: BaseReader['network']
  rpcUrls: readonly string[]
  perSecond?: number
}

const mostBlocks = 2000
const growth = 1.25
const walletsAtOnce = 200
const batchSize = 10
const timeoutMs = 20_000

export function openBaseReader({ network, rpcUrls, perSecond = 4 }: ReaderOptions): BaseReader {
  const endpoints = new Endpoints({ network, urls: rpcUrls, perSecond })
  const clients = new Map(
    rpcUrls.map(url => [
      url,
      createPublicClient({
        transport: http(url, { timeout: timeoutMs, retryCount: 0, batch: { batchSize } }),
      }),
    ]),
  )
  const asset = networks[network].asset.toLowerCase() as Address
  const senders = new Remembered<string>(20_000)
  const times = new Remembered<number>(20_000)
  let span = mostBlocks

  const ask = <T>(signal: AbortSignal, call: (client: PublicClient) => Promise<T>) =>
    endpoints.ask(async url => {
      try {
        return await call(clients.get(url) as PublicClient)
      } catch (error) {
        throw isTooMuch(error) ? new TooMuch(`${network}: the node refuses so many blocks`) : error
      }
    }, signal)

  async function logs({ wallets, from, until }: Wanted, signal: AbortSignal) {
    const range = { fromBlock: BigInt(from), toBlock: BigInt(until), strict: true } as const
    const found = new Map<
      string,
      TransferLog & { blockNumber: bigint; blockHash: Hex; blockTimestamp?: bigint | undefined }
    >()
    for (const group of groupsOf(wallets, walletsAtOnce))
      for (const args of [{ to: group as Address[] }, { from: group as Address[] }])
        for (const log of await ask(signal, client =>
          client.getLogs({ address: asset, event: transferred, args, ...range }),
        ))
          found.set(`${log.blockHash} ${log.logIndex}`, log)
    const transfers = [...found.values()]
    const payers = [...new Set(transfers.map(({ args }) => args.from))]
    const uses: UseLog[] = []
    for (const authorizer of groupsOf(payers, walletsAtOnce))
      uses.push(
        ...(await ask(signal, client =>
          client.getLogs({ address: asset, event: authorizationUsed, args: { authorizer }, ...range }),
        )),
      )
    const settled: SettledLog[] = transfers.length
      ? await ask(signal, client =>
          client.getLogs({
            address: Object.keys(permit2Proxies) as Address[],
            events: settledEvents,
            ...range,
          }),
        )
      : []
    return { transfers, mark: markOf(uses, settled) }
  }

  async function readRange(wanted: Wanted, signal: AbortSignal): Promise<Transfer[]> {
    const { transfers, mark } = await logs(wanted, signal)
    const marked = transfers.map(log => ({ log, ...mark(log) }))
    const paying = marked.filter(({ method }) => method !== 'plain').map(({ log }) => log.transactionHash)
    await senders.fill(paying, batchSize, hashes =>
      ask(signal, client =>
        Promise.all(
          hashes.map(async hash => (await client.getTransaction({ hash: hash as Hex })).from.toLowerCase()),
        ),
      ),
    )
    for (const { log } of marked)
      if (log.blockTimestamp) times.set(log.blockHash, Number(log.blockTimestamp) * 1000)
    const numbers = new Map(marked.map(({ log }) => [log.blockHash as string, log.blockNumber]))
    await times.fill([...numbers.keys()], batchSize, hashes =>
      ask(signal, client =>
        Promise.all(
          hashes.map(async blockHash => {
            const { timestamp } = await client.getBlock({ blockHash: blockHash as Hex })
            return Number(timestamp) * 1000
          }),
        ),
      ),
    )
    return marked.map(({ log, method, nonce }) => ({
      tx: log.transactionHash,
      position: log.logIndex,
      block: Number(log.blockNumber),
      atMs: times.get(log.blockHash) as number,
      payer: log.args.from.toLowerCase(),
      payTo: log.args.to.toLowerCase(),
      amount: log.args.value,
      method,
      nonce,
      facilitator: method === 'plain' ? null : (senders.get(log.transactionHash) as string),
    }))
  }

  return {
    network,

    head: (block, signal) =>
      ask(signal, async client => {
        const { number, hash, timestamp } = await client.getBlock(
          typeof block === 'number' ? { blockNumber: BigInt(block) } : { blockTag: block },
        )
        return { block: Number(number), hash: hash as string, atMs: Number(timestamp) * 1000 }
      }),

    async read(wanted, signal) {
      if (!wanted.wallets.length) return { to: wanted.until, transfers: [] }
      for (;;) {
        const to = Math.min(wanted.from + span - 1, wanted.until)
        try {
          const transfers = await readRange({ ...wanted, until: to }, signal)
          span = Math.min(mostBlocks, Math.ceil(span * growth))
          return { to, transfers }
        } catch (error) {
          // A refusal in words that we do not know looks like any failure: the next poll asks for less too.
          span = Math.max(1, (to - wanted.from + 1) >> 1)
          if (!(error instanceof TooMuch) || to === wanted.from) throw error
        }
      }
    },
  }
}

function groupsOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  )
}

const refusal = new RegExp(
  [
    'more than \\d',
    'too (many|large|wide)',
    'block range|ranges? over|limited to .* range',
    '(query|response|results?|range|limit) (size )?exceed',
    'exceeds? (the )?max',
  ].join('|'),
  'i',
)

/** A node that wants fewer requests is another matter: it is asked later. */
function isTooMuch(error: unknown): boolean {
  const said =
    error instanceof Error ? `${error.message} ${(error as { details?: string }).details ?? ''}` : ''
  return refusal.test(said) && !/rate limit|too many requests|requests? per|\b429\b/i.test(said)
}
