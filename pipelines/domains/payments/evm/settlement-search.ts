/** Asks one node about the end of an authorization: its money was moved, with payer and time, or it never will be. */
import { type Address, type Hex, parseAbi } from 'viem'
import { type EvmNetworkName, networks } from '../../../../schemas/tables/networks.ts'
import { Bounded } from '../../../rails/bounded.ts'
import type { Finding } from '../finder.ts'
import { type Authorization, endOf, type Node, useIn } from './authorization.ts'

const abi = parseAbi(['function authorizationState(address authorizer, bytes32 nonce) view returns (bool)'])

interface Head {
  number: bigint
  timestamp: bigint
}

/**
 * Our clock may be this far ahead of the chain's at a promise, and the till remembers its own sales for longer than
 * this. So an older use is never a settlement of ours, and a younger one was not sold before.
 */
const sinceMarginMs = 120_000
const marginBlocks = 30n
const secondOf = (promisedMs: number): bigint => BigInt(Math.floor((promisedMs - sinceMarginMs) / 1000))
const notOurs = (reason: string): Finding => ({ found: false, final: true, reason })
const notYet = (reason: string): Finding => ({ found: false, final: false, reason })

export class SettlementSearch {
  readonly #asset: Address
  readonly #blockMs: number
  readonly #now: () => number
  /** Where the next look at a node's logs continues. */
  readonly #next = new Bounded<bigint>({ most: 10_000 })

  constructor(network: EvmNetworkName, now: () => number) {
    const { asset, blockMs } = networks[network]
    this.#asset = asset
    this.#blockMs = blockMs
    this.#now = now
  }

  /** `sinceMs`: an older use is not ours. `tx`: the use may be in this transaction. */
  async look(node: Node, authorization: Authorization, sinceMs: number, tx?: Hex): Promise<Finding> {
    // If the use is recent enough by our clock, the chain's clock need not be asked.
    const since = secondOf(Math.min(sinceMs, this.#now()))
    const early = tx && (await this.#settledBy(node, tx, authorization, since))
    if (early?.found) return early
    const head = await node.client.getBlock()
    const chainSince = this.#secondBefore(sinceMs, head)
    const named = early && tx && (await this.#settledBy(node, tx, authorization, chainSince))
    if (named) return named
    const expired = head.timestamp > BigInt(authorization.valid_before)
    if (!(await this.#isSpent(node, authorization, head.number)))
      return { found: false, final: expired, reason: expired ? 'expired' : 'not_seen' }
    return this.#spentBy(node, authorization, chainSince, head)
  }

  /** The authorization is spent. Finds the transaction that spent it. */
  async #spentBy(node: Node, authorization: Authorization, since: bigint, head: Head): Promise<Finding> {
    const start = await blockBefore(node, since, head, this.#blockMs)
    // A node may have forgotten that state. Then its logs are searched.
    if (start > 0n && (await this.#isSpent(node, authorization, start).catch(() => false)))
      return notOurs('spent_before')
    const key = `${node.host} ${authorization.from} ${authorization.nonce}`
    const range = [this.#next.peek(key) ?? start, head.number] as const
    const end = await endOf(node, this.#asset, authorization, range)
    this.#next.delete(key)
    if (end && 'next' in end) {
      this.#next.set(key, end.next)
      return notYet('still_reading')
    }
    if (end?.kind === 'cancelled') return notOurs('cancelled')
    // It was used, but this node does not show for what: its logs are behind. Nobody is told that no money has moved.
    return (end && (await this.#settledBy(node, end.tx, authorization, since))) ?? notYet('use_not_shown')
  }

  /** The result of the transaction. Undefined if it does not use the authorization. */
  async #settledBy(
    node: Node,
    tx: Hex,
    authorization: Authorization,
    since: bigint,
  ): Promise<Finding | undefined> {
    const use = await useIn(node, this.#asset, tx, authorization)
    if (!use) return undefined
    if (use.position === undefined) return notOurs('spent_elsewhere')
    const { timestamp } = await node.client.getBlock({ blockHash: use.blockHash })
    return timestamp < since ? notOurs('spent_before') : { found: true, tx, position: use.position }
  }

  #isSpent({ client }: Node, { from, nonce }: Authorization, blockNumber: bigint): Promise<boolean> {
    return client.readContract({
      abi,
      address: this.#asset,
      functionName: 'authorizationState',
      args: [from as Address, nonce as Hex],
      blockNumber,
    })
  }

  /** In seconds of the chain. If our clock is ahead, then or now, our own settlement must not look too old. */
  #secondBefore(sinceMs: number, head: Head): bigint {
    const now = this.#now()
    const aheadMs = Math.max(0, now - Number(head.timestamp) * 1000)
    return secondOf(Math.min(sinceMs, now) - aheadMs)
  }
}

/** Finds a block from before this second. It is only a little older if blocks keep their pace. */
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
