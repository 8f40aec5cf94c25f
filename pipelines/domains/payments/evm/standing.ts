/** Asks an EVM chain whether sales still stand: by its logs of payees, a span of blocks at once, and by its final head. */
import type { Address, Hash } from 'viem'
import { families, networks } from '../../../../schemas/tables/networks.ts'
import { UpstreamFailed } from '../../../rails/failures.ts'
import { Tally } from '../../../rails/tally.ts'
import type { Paid, Standing, StandsAt } from '../standing.ts'
import { useBy } from './authorization.ts'
import { Blocks, type BlocksOptions } from './blocks.ts'
import { Heads } from './heads.ts'
import { authorizationUsed, markOf, transferred, type UseLog } from './pairs.ts'
import { spendIdsOn } from './spend-id.ts'

const { transaction } = families.evm
/** A facilitator tells of a settlement soon after its block, and clocks differ. */
const aroundMs = 120_000
/** A node whose newest block is older than a sale by so much has not seen it. */
const behindMs = 30_000
/** Nodes take so many addresses in one question. */
const payersAtOnce = 200

export class EvmStanding implements Standing {
  /** The longest life of an authorization that the till takes, and room for clocks. */
  readonly lifeMs = 70 * 60_000
  readonly mostAtOnce = 5000
  readonly #asset: Address
  readonly #spendIdOf: (from: string, nonce: string) => string
  readonly #blocks: Blocks
  readonly #heads: Heads

  constructor(options: BlocksOptions) {
    this.#asset = networks[options.network].asset
    this.#spendIdOf = spendIdsOn(options.network)
    this.#blocks = new Blocks(options)
    this.#heads = new Heads(this.#blocks)
  }

  async look(signal: AbortSignal) {
    const [final, latest] = await this.#ends(signal)
    return { finalMs: final.atMs, undoneMs: await this.#heads.look(latest, final, signal) }
  }

  async standing(sales: readonly Paid[], upTo: 'final' | 'latest', signal: AbortSignal) {
    const top = await this.#blocks.at(upTo === 'final' ? 'finalized' : 'latest', signal)
    const times = sales.map(({ atMs }) => atMs)
    const [oldest, newest] = [Math.min(...times), Math.max(...times)]
    const from = await this.#blocks.before(oldest - aroundMs, top, signal)
    const until = from + BigInt(this.#blocks.countIn(newest - oldest + 2 * aroundMs))
    const range = [from, until < top.number ? until : top.number] as const
    const to = [...new Set(sales.map(({ payTo }) => payTo as Address))]
    const wanted = { address: this.#asset, event: transferred, args: { to } } as const
    const logs = await this.#blocks.logs(range, signal, (client, span) =>
      client.getLogs({ ...wanted, ...span }),
    )
    const moved = new Tally()
    for (const { transactionHash: tx, args } of logs)
      moved.add(keyOf({ tx, payer: args.from, payTo: args.to, amount: args.value }))
    const stands = (sale: Paid): boolean => {
      const key = keyOf(sale)
      const is = moved.of(key) > 0
      // A transfer stands for one sale only.
      if (is) moved.add(key, -1)
      return is
    }
    return new Set(sales.filter(stands))
  }

  /** A use and its transfer are neighbours, so the logs of both tell which payment each transfer is. */
  async placesOf(sales: readonly Paid[], signal: AbortSignal): Promise<ReadonlyMap<Paid, StandsAt>> {
    const [final, latest] = await this.#ends(signal)
    const oldest = Math.min(...sales.map(({ atMs }) => atMs))
    const range = [await this.#blocks.before(oldest - aroundMs, latest, signal), latest.number] as const
    const to = [...new Set(sales.map(({ payTo }) => payTo as Address))]
    const moved = await this.#blocks.logs(range, signal, (client, span) =>
      client.getLogs({ address: this.#asset, event: transferred, args: { to }, ...span }),
    )
    const uses = await this.#usesOf(sales, range, signal)
    const mark = markOf(uses, [])
    const paid = new Map(
      moved.map(log => {
        const { from, to, value } = log.args
        const { nonce } = mark(log)
        return [nonce === null ? '' : placeKey(this.#spendIdOf(from, nonce), to, value), log] as const
      }),
    )
    const found = new Map<Paid, StandsAt>()
    const times = new Map<bigint, number>()
    for (const sale of sales) {
      const log = paid.get(placeKey(sale.spendId, sale.payTo, sale.amount))
      if (!log) continue
      const { blockNumber: number, transactionHash: tx } = log
      const atMs = times.get(number) ?? (await this.#blocks.at(number, signal)).atMs
      times.set(number, atMs)
      found.set(sale, { tx, atMs, isFinal: number <= final.number })
    }
    return found
  }

  async #usesOf(sales: readonly Paid[], range: readonly [bigint, bigint], signal: AbortSignal) {
    const uses: UseLog[] = []
    const payers = [...new Set(sales.map(({ payer }) => payer as Address))]
    for (let i = 0; i < payers.length; i += payersAtOnce) {
      const args = { authorizer: payers.slice(i, i + payersAtOnce) }
      const wanted = { address: this.#asset, event: authorizationUsed, args } as const
      uses.push(
        ...(await this.#blocks.logs(range, signal, (client, span) => client.getLogs({ ...wanted, ...span }))),
      )
    }
    return uses
  }

  /** Their nonces are used nowhere. A sale that was found long after its block is older than these logs: its transaction tells. */
  async gone(sales: readonly Paid[], signal: AbortSignal): Promise<ReadonlySet<Paid>> {
    const [, latest] = await this.#ends(signal)
    const times = sales.map(({ atMs }) => atMs)
    mustHaveSeen(latest.atMs, Math.max(...times))
    const from = await this.#blocks.before(Math.min(...times) - aroundMs, latest, signal)
    const uses = await this.#usesOf(sales, [from, latest.number], signal)
    const used = new Set(uses.map(({ args }) => this.#spendIdOf(args.authorizer, args.nonce)))
    const gone = new Set<Paid>()
    for (const sale of sales) {
      if (used.has(sale.spendId)) continue
      const isKnown = transaction.test(sale.tx) && (await this.#receiptOf(sale.tx as Hash, signal)) !== null
      if (!isKnown) gone.add(sale)
    }
    return gone
  }

  async placeOf(sale: Paid, signal: AbortSignal) {
    const [final, latest] = await this.#ends(signal)
    mustHaveSeen(latest.atMs, sale.atMs)
    const from = await this.#blocks.before(sale.atMs - aroundMs, latest, signal)
    // The sale may have been found long after its block.
    const known = transaction.test(sale.tx) ? await this.#receiptOf(sale.tx as Hash, signal) : null
    const block = known ? BigInt(known.blockNumber) : from
    const range = [block < from ? block : from, latest.number] as const
    const args = { authorizer: sale.payer as Address }
    const wanted = { address: this.#asset, event: authorizationUsed, args } as const
    const uses = await this.#blocks.logs(range, signal, (client, span) =>
      client.getLogs({ ...wanted, ...span }),
    )
    const use = uses.find(({ args }) => this.#spendIdOf(args.authorizer, args.nonce) === sale.spendId)
    if (!use || !(await this.#pays(sale, use.transactionHash, use.args.nonce, signal))) return undefined
    const { number, atMs } = await this.#blocks.at(use.blockNumber, signal)
    return { tx: use.transactionHash, atMs, isFinal: number <= final.number }
  }

  /** The final head first, so that the latest one is never older. */
  async #ends(signal: AbortSignal) {
    return [await this.#blocks.at('finalized', signal), await this.#blocks.at('latest', signal)] as const
  }

  /** Does this use pay the sale? A payer may have spent the same nonce on somebody else since. */
  async #pays({ payer, payTo, amount }: Paid, tx: Hash, nonce: Hash, signal: AbortSignal): Promise<boolean> {
    const authorization = { from: payer, to: payTo, value: String(amount), nonce, valid_before: 0 }
    const receipt = await this.#receiptOf(tx, signal)
    return receipt !== null && useBy(receipt, this.#asset, authorization)?.position !== undefined
  }

  #receiptOf(tx: Hash, signal: AbortSignal) {
    return this.#blocks.ask(signal, client =>
      client.request({ method: 'eth_getTransactionReceipt', params: [tx] }),
    )
  }
}

/** A node that cannot have seen the sale takes nothing back. */
function mustHaveSeen(latestMs: number, soldMs: number): void {
  if (latestMs < soldMs - behindMs)
    throw new UpstreamFailed(`a node is ${Math.round((soldMs - latestMs) / 1000)} s behind a sale`)
}

const placeKey = (spendId: string, payTo: string, amount: bigint): string =>
  `${spendId} ${payTo} ${amount}`.toLowerCase()

const keyOf = ({ tx, payer, payTo, amount }: Pick<Paid, 'tx' | 'payer' | 'payTo' | 'amount'>): string =>
  `${tx} ${payer} ${payTo} ${amount}`.toLowerCase()
