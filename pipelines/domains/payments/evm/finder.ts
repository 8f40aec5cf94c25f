/** The till's questions to an EVM chain: has this authorization moved its money, and is this payer a contract? */

import { type Address, createPublicClient, type Hex, http, parseAbi } from 'viem'
import { type EvmNetworkName, networks } from '../../../../schemas/tables/networks.ts'
import { Bounded } from '../../../rails/bounded.ts'
import { UpstreamFailed } from '../../../rails/failures.ts'
import { nodeFetch } from '../../../rails/outside/upstreams/capped-fetch.ts'
import type { Finding } from '../finder.ts'
import { type Authorization, type Node, openNode, topicsOf } from './authorization.ts'
import { SettlementSearch } from './settlement-search.ts'

/** The word that an address is no contract holds for so long. */
const noneMs = 60_000

export interface EvmFinder {
  /** `sinceMs`: a use before this time settled another purchase. `tx`: the use may be in this transaction. */
  find(authorization: Authorization, sinceMs: number, tx?: string): Promise<Finding>
  /** `afresh`: what was found a moment ago does not count. */
  isContract(address: string, afresh?: boolean): Promise<boolean>
  /** Its USDC, in the smallest unit. */
  heldBy(address: string): Promise<bigint>
}

const abi = parseAbi(['function balanceOf(address) view returns (uint256)'])

interface EvmFinderOptions {
  network: EvmNetworkName
  /** The first node that can tell is believed. */
  rpcUrls: readonly string[]
  now: () => number
}

export function openEvmFinder({ network, rpcUrls, now }: EvmFinderOptions): EvmFinder {
  const search = new SettlementSearch(network, now)
  const contracts = new Bounded<{ is: boolean; at: number }>({ most: 10_000 })
  const nodes = rpcUrls.map(url =>
    openNode(
      createPublicClient({ transport: http(url, { fetchFn: nodeFetch, timeout: 4000, retryCount: 0 }) }),
      new URL(url).host,
    ),
  )

  /** Rejects when no node answers. `isEnough`: no further node need be asked. */
  async function ask<T>(
    call: (node: Node) => Promise<T>,
    isEnough: (answer: T) => boolean = () => true,
  ): Promise<T> {
    const silent: string[] = []
    let answer: { said: T } | undefined
    for (const node of nodes) {
      try {
        answer = { said: await call(node) }
        if (isEnough(answer.said)) return answer.said
      } catch (error) {
        // The world fails: the next node is asked. viem's long messages contain the address, which may hold a key.
        const why = (error as { shortMessage?: string }).shortMessage ?? (error as Error).name
        silent.push(`${node.host}: ${why}`)
      }
    }
    if (answer) return answer.said
    throw new UpstreamFailed(`no ${network} node answers: ${silent.join('; ')}`)
  }

  return {
    async find(authorization, sinceMs, tx) {
      // An authorization that cannot be encoded is our error: it must not look like a silent node.
      topicsOf(authorization)
      return ask(
        node => search.look(node, authorization, sinceMs, tx as Hex | undefined),
        said => said.found || said.reason !== 'use_not_shown',
      )
    },

    heldBy: holder =>
      ask(({ client }) =>
        client.readContract({
          abi,
          address: networks[network].asset,
          functionName: 'balanceOf',
          args: [holder as Address],
        }),
      ),

    async isContract(at, afresh = false) {
      const key = at.toLowerCase()
      const known = contracts.ask(key)
      // A contract stays one. What is none yet may be deployed at any time.
      if (known && !afresh && (known.is || Math.abs(now() - known.at) < noneMs)) return known.is
      const code = await ask(({ client }) => client.getCode({ address: at as Address }))
      const is = code !== undefined && code !== '0x'
      contracts.set(key, { is, at: now() })
      return is
    },
  }
}
