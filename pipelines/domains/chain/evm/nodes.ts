/** Asks the nodes of an EVM chain. A node that lags, or belongs to another chain, counts as a failed node. */

import { createPublicClient, http, type PublicClient } from 'viem'
import { chains, type EvmChainName } from '../../../../schemas/tables/chains.ts'
import { asUpstreamFailed } from '../../../rails/failures.ts'
import { nodeFetch } from '../../../rails/outside/upstreams/capped-fetch.ts'
import { Endpoints } from '../../payments/endpoints.ts'
import type { ChainOptions } from '../reader.ts'
import type { Witnessed } from './block.ts'

interface Answered<T> {
  answer: T
  /** The host of the node: its path or user may hold a key. */
  source: string
  /** Its whole address, which no answer shows. */
  url: string
}

export interface EvmNodes {
  chain: EvmChainName
  now(): number
  ask<T>(call: (client: PublicClient) => Promise<T>): Promise<Answered<T>>
  /** Asks another node than this one, once. Undefined if there is none. */
  askOther<T>(url: string, call: (client: PublicClient) => Promise<T>): Promise<Answered<T>> | undefined
  /** What belongs to these nodes, for as long as they are open. */
  key: object
  /** Where the looks of a question write down what they have read, so that another node can confirm it. */
  witness?: Witnessed[]
}

/** The time limit of one call, and of all tries for one question. */
const callMs = 6000
const questionMs = 14_000
/** A node that is silent for this long is hedged by the next one. */
const hedgeMs = 1500

export function openEvmNodes({ chain, urls, perSecond, now }: ChainOptions<EvmChainName>): EvmNodes {
  const endpoints = new Endpoints({ network: chain, urls, perSecond, hedgeMs })
  const clients = new Map<string, PublicClient>(
    urls.map(url => [
      url,
      createPublicClient({
        transport: http(url, { fetchFn: nodeFetch, timeout: callMs, retryCount: 0 }),
        cacheTime: 0,
      }),
    ]),
  )
  const asked = async <T>(url: string, call: (client: PublicClient) => Promise<T>): Promise<Answered<T>> => ({
    answer: await call(clients.get(url) as PublicClient),
    source: new URL(url).hostname,
    url,
  })
  return {
    chain,
    now,
    key: {},
    askOther(url, call) {
      const other = urls.find(each => each !== url)
      return other === undefined ? undefined : asked(other, call)
    },
    async ask(call) {
      try {
        return await endpoints.ask(url => asked(url, call), AbortSignal.timeout(questionMs))
      } catch (error) {
        throw asUpstreamFailed(error, chains[chain].title)
      }
    },
  }
}
