/** Reads every USDC transfer of some wallets from an EVM chain, in ranges that a node accepts. */

import { type Address, createPublicClient, http, type PublicClient } from 'viem'
import { type EvmNetworkName, networks } from '../../../../schemas/tables/networks.ts'
import { nodeFetch } from '../../../rails/outside/upstreams/capped-fetch.ts'
import { Endpoints, TooMuch } from '../endpoints.ts'
import type { Transfer } from '../transfer.ts'
import { type AskNode, markedTransfers, type WantedLogs } from './logs.ts'
import { isTooMuch } from './refusal.ts'
import { batchSize, TransferFacts, timeOf } from './transfer-facts.ts'

export interface ChainHead {
  block: number
  hash: string
  atMs: number
}

export interface EvmReader {
  network: EvmNetworkName
  head(block: number | 'finalized' | 'latest', signal: AbortSignal): Promise<ChainHead>
  /** Reads as many of the blocks as a node gives at once, beginning with the first, up to and including `to`. */
  read(wanted: WantedLogs, signal: AbortSignal): Promise<{ to: number; transfers: Transfer[] }>
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

export function openEvmReader({ network, rpcUrls, perSecond }: EvmReaderOptions): EvmReader {
  const endpoints = new Endpoints({ network, urls: rpcUrls, perSecond })
  const clientsOf = (batch: boolean | { batchSize: number }) =>
    new Map<string, PublicClient>(
      rpcUrls.map(url => [url, createPublicClient({ transport: http(url, { ...patient, batch }) })]),
    )
  const [single, batching] = [clientsOf(false), clientsOf({ batchSize })]
  const asset = networks[network].asset.toLowerCase() as Address
  const facts = new TransferFacts()
  let span = mostBlocks

  const asking =
    (signal: AbortSignal): AskNode =>
    (call, many) =>
      endpoints.ask(async (url, again) => {
        // Some nodes accept no batches.
        const clients = many && !again ? batching : single
        try {
          return await call(clients.get(url) as PublicClient)
        } catch (error) {
          throw isTooMuch(error) ? new TooMuch(`${network}: the node refuses so many blocks`) : error
        }
      }, signal)

  return {
    network,

    head: (block, signal) =>
      asking(signal)(async client => {
        const found = await client.getBlock(
          typeof block === 'number' ? { blockNumber: BigInt(block) } : { blockTag: block },
        )
        return { block: Number(found.number), hash: found.hash as string, atMs: timeOf(found) }
      }),

    async read(wanted, signal) {
      if (!wanted.wallets.length) return { to: wanted.until, transfers: [] }
      for (;;) {
        const to = Math.min(wanted.from + span - 1, wanted.until)
        try {
          const ask = asking(signal)
          const marked = await markedTransfers(ask, asset, { ...wanted, until: to })
          const transfers = await facts.complete(marked, ask)
          span = Math.min(mostBlocks, Math.ceil(span * growth))
          return { to, transfers }
        } catch (error) {
          // A refusal in unknown words looks like any other failure. So after any failure the next poll asks for
          // fewer blocks.
          span = Math.max(1, (to - wanted.from + 1) >> 1)
          if (!(error instanceof TooMuch) || to === wanted.from) throw error
        }
      }
    },
  }
}
