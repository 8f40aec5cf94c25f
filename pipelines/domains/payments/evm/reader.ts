/**
 * The one reader of USDC transfers on an EVM chain, in ranges that a node accepts. The source of payments walks with it through all
 * blocks, and keeps the cursor; finality asks it about the blocks of its sales. It sets the pace at which the nodes are asked.
 */

import {
  type Address,
  BlockNotFoundError,
  createPublicClient,
  type Hash,
  http,
  type PublicClient,
  RpcRequestError,
} from 'viem'
import { type EvmNetworkName, networks } from '../../../../schemas/tables/networks.ts'
import { UpstreamFailed } from '../../../rails/failures.ts'
import { nodeFetch } from '../../../rails/outside/upstreams/capped-fetch.ts'
import { Endpoints, TooMuch } from '../endpoints.ts'
import { isPlace, isTime } from '../head.ts'
import type { Transfer } from '../transfer.ts'
import { type AskNode, type LogRange, markedTransfers, transfersTo, usesOf, type WantedLogs } from './logs.ts'
import { isTooMuch } from './refusal.ts'
import { batchSize, TransferFacts, timeOf } from './transfer-facts.ts'

export interface ChainHead {
  block: number
  hash: string
  atMs: number
}

interface EvmReaderOptions {
  network: EvmNetworkName
  rpcUrls: readonly string[]
  /** Calls per second. Everybody shares a public node. */
  perSecond: number
}

const mostBlocks = 2000
const growth = 1.25
const patient = { fetchFn: nodeFetch, timeout: 20_000, retryCount: 0 }

export class EvmReader {
  readonly family = 'evm'
  readonly network: EvmNetworkName
  readonly asset: Address
  readonly #endpoints: Endpoints
  readonly #single: ReadonlyMap<string, PublicClient>
  readonly #batching: ReadonlyMap<string, PublicClient>
  readonly #facts = new TransferFacts()
  /** Nodes give different spans at once. */
  #span = mostBlocks

  constructor({ network, rpcUrls, perSecond }: EvmReaderOptions) {
    this.network = network
    this.asset = networks[network].asset.toLowerCase() as Address
    this.#endpoints = new Endpoints({ network, urls: rpcUrls, perSecond })
    const clientsOf = (batch: boolean | { batchSize: number }) =>
      new Map(rpcUrls.map(url => [url, createPublicClient({ transport: http(url, { ...patient, batch }) })]))
    this.#single = clientsOf(false)
    this.#batching = clientsOf({ batchSize })
  }

  head(block: number | 'finalized' | 'latest', signal: AbortSignal): Promise<ChainHead> {
    return this.#asking(signal)(async client => headOf(client, block))
  }

  /** The head that the batches of its chain on the layer below have reached. Undefined where a node knows no such head. */
  safe(signal: AbortSignal): Promise<ChainHead | undefined> {
    return this.#asking(signal)(client =>
      headOf(client, 'safe').catch(error => {
        // The node has answered, in its own words.
        const isUnknown = error.walk?.(
          (cause: unknown) => cause instanceof RpcRequestError || cause instanceof BlockNotFoundError,
        )
        if (isUnknown) return undefined
        throw error
      }),
    )
  }

  /** The number of a block from before this time. It is only a little older if blocks keep their pace. */
  async before(atMs: number, top: ChainHead, signal: AbortSignal): Promise<number> {
    let back = Math.max(1, this.countIn(top.atMs - atMs))
    for (;;) {
      if (back >= top.block) return 0
      const { block, atMs: found } = await this.head(top.block - back, signal)
      if (found <= atMs) return block
      back *= 2
    }
  }

  countIn(ms: number): number {
    return Math.ceil(ms / networks[this.network].blockMs)
  }

  /** Reads as many of the blocks as a node gives at once, beginning with the first, up to and including `until`. */
  async read(wanted: WantedLogs, signal: AbortSignal): Promise<{ to: number; transfers: Transfer[] }> {
    if (!wanted.wallets.length) return { to: wanted.until, transfers: [] }
    const ask = this.#asking(signal)
    const { to, found } = await this.#atOnce(wanted, async range =>
      this.#facts.complete(await markedTransfers(ask, this.asset, { ...wanted, ...range }), ask),
    )
    return { to, transfers: found }
  }

  /** The transfers to payees in all blocks of a range. */
  paid(payees: readonly string[], range: LogRange, signal: AbortSignal) {
    return this.#all(range, within => transfersTo(this.#asking(signal), this.asset, payees, within))
  }

  /** The authorizations of payers that were used in all blocks of a range. */
  used(payers: readonly string[], range: LogRange, signal: AbortSignal) {
    return this.#all(range, within => usesOf(this.#asking(signal), this.asset, payers, within))
  }

  receipt(tx: Hash, signal: AbortSignal) {
    return this.#asking(signal)(client =>
      client.request({ method: 'eth_getTransactionReceipt', params: [tx] }),
    )
  }

  async #all<T>(range: LogRange, read: (range: LogRange) => Promise<T[]>): Promise<T[]> {
    const all: T[] = []
    for (let { from } = range; from <= range.until; ) {
      const { to, found } = await this.#atOnce({ ...range, from }, read)
      for (const one of found) all.push(one)
      from = to + 1
    }
    return all
  }

  async #atOnce<T>(
    { from, until }: LogRange,
    read: (range: LogRange) => Promise<T[]>,
  ): Promise<{ to: number; found: T[] }> {
    for (;;) {
      const to = Math.min(from + this.#span - 1, until)
      try {
        const found = await read({ from, until: to })
        this.#span = Math.min(mostBlocks, Math.ceil(this.#span * growth))
        return { to, found }
      } catch (error) {
        // A refusal in unknown words looks like any other failure. So after any failure the next poll asks for fewer blocks.
        this.#span = Math.max(1, (to - from + 1) >> 1)
        if (!(error instanceof TooMuch) || to === from) throw error
      }
    }
  }

  #asking(signal: AbortSignal): AskNode {
    return (call, many) =>
      this.#endpoints.ask(async (url, again) => {
        // Some nodes accept no batches.
        const clients = many && !again ? this.#batching : this.#single
        try {
          return await call(clients.get(url) as PublicClient)
        } catch (error) {
          throw isTooMuch(error) ? new TooMuch(`${this.network}: the node refuses so many blocks`) : error
        }
      }, signal)
  }
}

async function headOf(
  client: PublicClient,
  block: number | 'finalized' | 'safe' | 'latest',
): Promise<ChainHead> {
  const found = await client.getBlock(
    typeof block === 'number' ? { blockNumber: BigInt(block) } : { blockTag: block },
  )
  const head = { block: Number(found.number), hash: found.hash as string, atMs: timeOf(found) }
  if (found.number === null || !isPlace(head.block) || !isTime(head.atMs) || typeof head.hash !== 'string')
    throw new UpstreamFailed('a node tells of a block without number, hash or time')
  return head
}
