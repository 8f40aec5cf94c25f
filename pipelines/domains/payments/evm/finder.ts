/** What the till asks of an EVM chain: did this authorization move its money, and is this payer a contract? */

import { type Address, createPublicClient, type Hex, http, parseAbi } from 'viem'
import { type EvmNetworkName, networks } from '../../../../schemas/tables/networks.ts'
import { nodeFetch } from '../../../rails/outside/upstreams/capped-fetch.ts'
import type { Finding } from '../finding.ts'
import { Remembered } from '../remembered.ts'
import { type Authorization, endOf, type Node, openNode, useIn } from './authorization.ts'

const abi = parseAbi(['function authorizationState(address authorizer, bytes32 nonce) view returns (bool)'])

interface Head {
  number: bigint
  timestamp: bigint
}

export interface EvmFinder {
  /** `sinceMs`: what used the authorization before this time settled something else. `tx`: the use may be in there. */
  find(authorization: Authorization, sinceMs: number, tx?: string): Promise<Finding>
  isContract(address: string): Promise<boolean>
}

export interface EvmFinderOptions {
  network: EvmNetworkName
  /** The first that can tell is believed. */
  rpcUrls: readonly string[]
  now: () => number
}

/**
 * Our clock may be ahead of the chain's by this much at a promise, and the till remembers longer than this what it sold
 * itself. So a use that is older is nobody's settlement here, and one that is younger was not sold before.
 */
const sinceMarginMs = 120_000
const marginBlocks = 30n
const secondOf = (promisedMs: number): bigint => BigInt(Math.floor((promisedMs - sinceMarginMs) / 1000))
const notOurs = (reason: string): Finding => ({ found: false, final: true, reason })
const notYet = (reason: string): Finding => ({ found: false, final: false, reason })

/** Finds a block from before this second. It is not much older while blocks keep their pace. */
async function blockBefore({ client }: Node, second: bigint, head: Head, blockMs: number): Promise<bigint> {
  const seconds = head.timestamp > second ? head.timestamp - second : 0n
  let back = (seconds * 1000n) / BigInt(blockMs) + marginBlocks
  for (;;) {
    if (back >= head.number) return 0n
    const { timestamp } = await client.getBlock({ blockNumber: head.number - back })
    if (timestamp <= second) return head.number - back
    back *= 2n
  }
}

export function openEvmFinder({ network, rpcUrls, now }: EvmFinderOptions): EvmFinder {
  const nodes = rpcUrls.map(url =>
    openNode(
      createPublicClient({ transport: http(url, { fetchFn: nodeFetch, timeout: 4000, retryCount: 0 }) }),
      new URL(url).host,
    ),
  )
  const { asset, blockMs } = networks[network]
  const contracts = new Remembered<boolean>(10_000)
  /** Where the next look at the logs of a node goes on. */
  const next = new Remembered<bigint>(10_000)

  /** Rejects when no node answers. `isEnough`: the next node need not be asked. */
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
        // The world fails: the next node is asked. viem's long messages hold the address, which may hold a key.
        const why = (error as { shortMessage?: string }).shortMessage ?? (error as Error).name
        silent.push(`${node.host}: ${why}`)
      }
    }
    if (answer) return answer.said
    throw new Error(`no ${network} node answers: ${silent.join('; ')}`)
  }

  const isSpent = ({ client }: Node, { from, nonce }: Authorization, blockNumber: bigint): Promise<boolean> =>
    client.readContract({
      abi,
      address: asset,
      functionName: 'authorizationState',
      args: [from as Address, nonce as Hex],
      blockNumber,
    })

  /** In seconds of the chain. A clock of ours that is ahead, then or now, must not make our own settlement look too old. */
  function secondBefore(sinceMs: number, head: Head): bigint {
    const aheadMs = Math.max(0, now() - Number(head.timestamp) * 1000)
    return secondOf(Math.min(sinceMs, now()) - aheadMs)
  }

  /** What the transaction says. Undefined: it does not use the authorization. */
  async function settledBy(
    node: Node,
    tx: Hex,
    authorization: Authorization,
    since: bigint,
  ): Promise<Finding | undefined> {
    const use = await useIn(node, asset, tx, authorization)
    if (!use) return undefined
    if (use.position === undefined) return notOurs('spent_elsewhere')
    const { timestamp } = await node.client.getBlock({ blockHash: use.blockHash })
    return timestamp < since ? notOurs('spent_before') : { found: true, tx, position: use.position }
  }

  async function findAt(
    node: Node,
    authorization: Authorization,
    sinceMs: number,
    tx?: Hex,
  ): Promise<Finding> {
    // If it is not too old by our clock, that of the chain need not be asked.
    const early =
      tx === undefined
        ? undefined
        : await settledBy(node, tx, authorization, secondOf(Math.min(sinceMs, now())))
    if (early?.found) return early
    const head = await node.client.getBlock()
    const since = secondBefore(sinceMs, head)
    const named = early && tx && (await settledBy(node, tx, authorization, since))
    if (named) return named
    const expired = head.timestamp > BigInt(authorization.valid_before)
    if (!(await isSpent(node, authorization, head.number)))
      return { found: false, final: expired, reason: expired ? 'expired' : 'not_seen' }

    const start = await blockBefore(node, since, head, blockMs)
    // A node may have forgotten that state. Its logs are asked then.
    if (start > 0n && (await isSpent(node, authorization, start).catch(() => false)))
      return notOurs('spent_before')
    const key = `${node.host} ${authorization.from} ${authorization.nonce}`
    const end = await endOf(node, asset, authorization, [next.get(key) ?? start, head.number])
    next.drop(key)
    if (end && 'next' in end) {
      next.set(key, end.next)
      return notYet('still_reading')
    }
    if (end?.kind === 'cancelled') return notOurs('cancelled')
    // It was used, and this node does not show what for: its logs are behind. Nobody is told that no money has moved.
    return (end && (await settledBy(node, end.tx, authorization, since))) ?? notYet('use_not_shown')
  }

  return {
    find: (authorization, sinceMs, tx) =>
      ask(
        node => findAt(node, authorization, sinceMs, tx as Hex | undefined),
        said => said.found || said.reason !== 'use_not_shown',
      ),

    async isContract(at) {
      const key = at.toLowerCase()
      const known = contracts.get(key)
      if (known !== undefined) return known
      const code = await ask(({ client }) => client.getCode({ address: at as Address }))
      const contract = code !== undefined && code !== '0x'
      contracts.set(key, contract)
      return contract
    },
  }
}
