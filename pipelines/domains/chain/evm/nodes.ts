/** Asks the nodes of an EVM chain. A node that lags, or belongs to another chain, counts as a failed node. */

import { createPublicClient, http, type PublicClient } from 'viem'
import { chains, type EvmChainName } from '../../../../schemas/tables/chains.ts'
import { asUpstreamFailed } from '../../../rails/failures.ts'
import { nodeFetch } from '../../../rails/outside/upstreams/capped-fetch.ts'
import { Endpoints } from '../../payments/endpoints.ts'
import type { ChainOptions } from '../reader.ts'

interface Answered<T> {
  answer: T
  /** The host of the node: its path or user may hold a key. */
  source: string
}

export interface EvmNodes {
  chain: EvmChainName
  now(): number
  ask<T>(call: (client: PublicClient) => Promise<T>): Promise<Answered<T>>
}

/** The time limit of one call, and of all tries for one question. */
const callMs = 6000
const questionMs = 14_000

export function openEvmNodes({ chain, urls, perSecond, now }: ChainOptions<EvmChainName>): EvmNodes {
  const endpoints = new Endpoints({ network: chain, urls, perSecond })
  const clients = new Map<string, PublicClient>(
    urls.map(url => [
      url,
      createPublicClient({
        transport: http(url, { fetchFn: nodeFetch, timeout: callMs, retryCount: 0 }),
        cacheTime: 0,
      }),
    ]),
  )
  return {
    chain,
    now,
    async ask(call) {
      try {
        return await endpoints.ask(
          async url => ({
            answer: await call(clients.get(url) as PublicClient),
            source: new URL(url).hostname,
          }),
          AbortSignal.timeout(questionMs),
        )
      } catch (error) {
        throw asUpstreamFailed(error, chains[chain].title)
      }
    },
  }
}
