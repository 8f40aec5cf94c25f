/** Asks an EVM chain whether sales still stand: by its logs of payees, a span of blocks at once, and by its safe and final heads. */
import type { Hash } from 'viem'
import { families } from '../../../../schemas/tables/networks.ts'
import { UpstreamFailed } from '../../../rails/failures.ts'
import { Tally } from '../../../rails/tally.ts'
import type { Depth, Paid, Standing, StandsAt } from '../standing.ts'
import { useBy } from './authorization.ts'
import { Heads } from './heads.ts'
import type { LogRange } from './logs.ts'
import { markOf } from './pairs.ts'
import type { ChainHead, EvmReader } from './reader.ts'
import { spendIdsOn } from './spend-id.ts'

const { transaction } = families.evm
/** A facilitator tells of a settlement soon after its block, and clocks differ. */
const aroundMs = 120_000
/** A node whose newest block is older than a sale by so much has not seen it. */
const behindMs = 30_000

export class EvmStanding implements Standing {
  /** The longest life of an authorization that the till takes, and room for clocks. */
  readonly lifeMs = 70 * 60_000
  readonly mostAtOnce = 5000
  readonly #spendIdOf: (from: string, nonce: string) => string
  readonly #reader: EvmReader
  readonly #heads: Heads

  constructor(reader: EvmReader) {
    this.#spendIdOf = spendIdsOn(reader.network)
    this.#reader = reader
    this.#heads = new Heads(reader)
  }

  /** The deepest head first, so that none is older than the one before it. */
  async look(signal: AbortSignal) {
    const final = await this.#reader.head('finalized', signal)
    const safe = await this.#safe(final, signal)
    const latest = await this.#reader.head('latest', signal)
    const undoneMs = await this.#heads.look(latest, final, signal)
    return { finalMs: final.atMs, safeMs: safe.atMs, undoneMs }
  }

  async standing(sales: readonly Paid[], upTo: Depth | 'latest', signal: AbortSignal) {
    const top = await this.#top(upTo, signal)
    const times = sales.map(({ atMs }) => atMs)
    const [oldest, newest] = [Math.min(...times), Math.max(...times)]
    const from = await this.#reader.before(oldest - aroundMs, top, signal)
    const until = from + this.#reader.countIn(newest - oldest + 2 * aroundMs)
    const logs = await this.#reader.paid(payeesOf(sales), { from, until: Math.min(until, top.block) }, signal)
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
    const from = await this.#reader.before(oldest - aroundMs, latest, signal)
    const range = { from, until: latest.block }
    const moved = await this.#reader.paid(payeesOf(sales), range, signal)
    const mark = markOf(await this.#usesOf(sales, range, signal), [])
    const paid = new Map(
      moved.map(log => {
        const { from, to, value } = log.args
        const { nonce } = mark(log)
        return [nonce === null ? '' : placeKey(this.#spendIdOf(from, nonce), to, value), log] as const
      }),
    )
    const found = new Map<Paid, StandsAt>()
    const times = new Map<number, number>()
    for (const sale of sales) {
      const log = paid.get(placeKey(sale.spendId, sale.payTo, sale.amount))
      if (!log) continue
      const [block, tx] = [Number(log.blockNumber), log.transactionHash]
      const atMs = times.get(block) ?? (await this.#reader.head(block, signal)).atMs
      times.set(block, atMs)
      found.set(sale, { tx, atMs, isFinal: block <= final.block })
    }
    return found
  }

  #usesOf(sales: readonly Paid[], range: LogRange, signal: AbortSignal) {
    return this.#reader.used([...new Set(sales.map(({ payer }) => payer))], range, signal)
  }

  /** Their nonces are used nowhere. A sale that was found long after its block is older than these logs: its transaction tells. */
  async gone(sales: readonly Paid[], signal: AbortSignal): Promise<ReadonlySet<Paid>> {
    const [, latest] = await this.#ends(signal)
    const times = sales.map(({ atMs }) => atMs)
    mustHaveSeen(latest.atMs, Math.max(...times))
    const from = await this.#reader.before(Math.min(...times) - aroundMs, latest, signal)
    const uses = await this.#usesOf(sales, { from, until: latest.block }, signal)
    const used = new Set(uses.map(({ args }) => this.#spendIdOf(args.authorizer, args.nonce)))
    const gone = new Set<Paid>()
    for (const sale of sales) {
      if (used.has(sale.spendId)) continue
      const isKnown =
        transaction.test(sale.tx) && (await this.#reader.receipt(sale.tx as Hash, signal)) !== null
      if (!isKnown) gone.add(sale)
    }
    return gone
  }

  async placeOf(sale: Paid, signal: AbortSignal) {
    const [final, latest] = await this.#ends(signal)
    mustHaveSeen(latest.atMs, sale.atMs)
    const from = await this.#reader.before(sale.atMs - aroundMs, latest, signal)
    // The sale may have been found long after its block.
    const known = transaction.test(sale.tx) ? await this.#reader.receipt(sale.tx as Hash, signal) : null
    const first = Math.min(from, known ? Number(known.blockNumber) : from)
    const uses = await this.#usesOf([sale], { from: first, until: latest.block }, signal)
    const use = uses.find(({ args }) => this.#spendIdOf(args.authorizer, args.nonce) === sale.spendId)
    if (!use || !(await this.#pays(sale, use.transactionHash, use.args.nonce, signal))) return undefined
    const { block, atMs } = await this.#reader.head(Number(use.blockNumber), signal)
    return { tx: use.transactionHash, atMs, isFinal: block <= final.block }
  }

  /** The final head first, so that the latest one is never older. */
  async #ends(signal: AbortSignal) {
    return [await this.#reader.head('finalized', signal), await this.#reader.head('latest', signal)] as const
  }

  /** A node that knows no safe head, or is behind, calls nothing safe that is not final. */
  async #safe(final: ChainHead, signal: AbortSignal): Promise<ChainHead> {
    const safe = await this.#reader.safe(signal)
    return safe && safe.block > final.block ? safe : final
  }

  async #top(upTo: Depth | 'latest', signal: AbortSignal): Promise<ChainHead> {
    if (upTo === 'latest') return this.#reader.head('latest', signal)
    const final = await this.#reader.head('finalized', signal)
    return upTo === 'final' ? final : this.#safe(final, signal)
  }

  /** Does this use pay the sale? A payer may have spent the same nonce on somebody else since. */
  async #pays({ payer, payTo, amount }: Paid, tx: Hash, nonce: Hash, signal: AbortSignal): Promise<boolean> {
    const authorization = { from: payer, to: payTo, value: String(amount), nonce, valid_before: 0 }
    const receipt = await this.#reader.receipt(tx, signal)
    return receipt !== null && useBy(receipt, this.#reader.asset, authorization)?.position !== undefined
  }
}

const payeesOf = (sales: readonly Paid[]): string[] => [...new Set(sales.map(({ payTo }) => payTo))]

/** A node that cannot have seen the sale takes nothing back. */
function mustHaveSeen(latestMs: number, soldMs: number): void {
  if (latestMs < soldMs - behindMs)
    throw new UpstreamFailed(`a node is ${Math.round((soldMs - latestMs) / 1000)} s behind a sale`)
}

const placeKey = (spendId: string, payTo: string, amount: bigint): string =>
  `${spendId} ${payTo} ${amount}`.toLowerCase()

const keyOf = ({ tx, payer, payTo, amount }: Pick<Paid, 'tx' | 'payer' | 'payTo' | 'amount'>): string =>
  `${tx} ${payer} ${payTo} ${amount}`.toLowerCase()
