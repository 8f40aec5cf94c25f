/** Asks the nodes of an EVM chain for blocks and spans of logs, in no hurry. */
import { createPublicClient, http, type PublicClient } from 'viem'
import { type EvmNetworkName, networks } from '../../../../schemas/tables/networks.ts'
import { nodeFetch } from '../../../rails/outside/upstreams/capped-fetch.ts'
import { Endpoints, TooMuch } from '../endpoints.ts'
import { isTooMuch } from './refusal.ts'
import { timeOf } from './transfer-facts.ts'

export interface BlocksOptions {
  network: EvmNetworkName
  rpcUrls: readonly string[]
  perSecond: number
}

export interface BlockHead {
  number: bigint
  hash: string
  atMs: number
}

interface Span {
  fromBlock: bigint
  toBlock: bigint
  strict: true
}

const mostBlocks = 2000n
const patient = { fetchFn: nodeFetch, timeout: 20_000, retryCount: 0 }

export class Blocks {
  readonly #network: EvmNetworkName
  readonly #endpoints: Endpoints
  readonly #clients: ReadonlyMap<string, PublicClient>
  /** Nodes give different spans at once. */
  #span = mostBlocks

  constructor({ network, rpcUrls, perSecond }: BlocksOptions) {
    this.#network = network
    this.#endpoints = new Endpoints({ network, urls: rpcUrls, perSecond })
    this.#clients = new Map(rpcUrls.map(url => [url, createPublicClient({ transport: http(url, patient) })]))
  }

  ask<T>(signal: AbortSignal, call: (client: PublicClient) => Promise<T>): Promise<T> {
    return this.#endpoints.ask(async url => {
      try {
        return await call(this.#clients.get(url) as PublicClient)
      } catch (error) {
        throw isTooMuch(error) ? new TooMuch(`${this.#network}: the node refuses so many blocks`) : error
      }
    }, signal)
  }

  async at(block: bigint | 'finalized' | 'latest', signal: AbortSignal): Promise<BlockHead> {
    const wanted = typeof block === 'bigint' ? { blockNumber: block } : { blockTag: block }
    const found = await this.ask(signal, client => client.getBlock(wanted))
    return { number: found.number as bigint, hash: found.hash as string, atMs: timeOf(found) }
  }

  /** The number of a block from before this time. It is only a little older if blocks keep their pace. */
  async before(atMs: number, top: BlockHead, signal: AbortSignal): Promise<bigint> {
    let back = BigInt(Math.max(1, this.countIn(top.atMs - atMs)))
    for (;;) {
      if (back >= top.number) return 0n
      const { number, atMs: found } = await this.at(top.number - back, signal)
      if (found <= atMs) return number
      back *= 2n
    }
  }

  countIn(ms: number): number {
    return Math.ceil(ms / networks[this.#network].blockMs)
  }

  /** Reads the logs of a range, in spans that the node gives. */
  async logs<T>(
    [from, to]: readonly [bigint, bigint],
    signal: AbortSignal,
    read: (client: PublicClient, span: Span) => Promise<T[]>,
  ): Promise<T[]> {
    const found: T[] = []
    for (let fromBlock = from; fromBlock <= to; ) {
      const last = fromBlock + this.#span - 1n
      const span = { fromBlock, toBlock: last < to ? last : to, strict: true } as const
      try {
        for (const log of await this.ask(signal, client => read(client, span))) found.push(log)
        fromBlock = span.toBlock + 1n
      } catch (error) {
        if (!(error instanceof TooMuch) || span.toBlock === fromBlock) throw error
        this.#span = (span.toBlock - fromBlock + 1n) / 2n || 1n
      }
    }
    return found
  }
}
