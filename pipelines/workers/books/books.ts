/**
 * Compares each hour what our wallets received with what we have sold, until each day is closed. What differs is told as a fact, and
 * told again when it is over. Exactly one process does it.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type BookDay, bookDays } from '../../../schemas/book-days.ts'
import { type BookDifference, bookDifferences } from '../../../schemas/book-differences.ts'
import { bookNotes } from '../../../schemas/book-notes.ts'
import { canaryPurchases } from '../../../schemas/canary-purchases.ts'
import { chainPayments } from '../../../schemas/chain-payments.ts'
import { chainRanges } from '../../../schemas/chain-ranges.ts'
import type { Topic } from '../../../schemas/dataset/dataset.ts'
import { takenBack } from '../../../schemas/finality.ts'
import { operationDays } from '../../../schemas/operation-days.ts'
import { refunds } from '../../../schemas/refunds.ts'
import { settleCosts } from '../../../schemas/settle-costs.ts'
import { settlements } from '../../../schemas/settlements.ts'
import { instant } from '../../../schemas/values/values.ts'
import { type BookedDay, beginOf, bookedDay, dayMs, dayOf, startOf } from '../../domains/books/books.ts'
import { TooUneven } from '../../domains/books/comparison.ts'
import { coverageOf } from '../../domains/books/coverage.ts'
import { type AskStore, type OwnWallet, ownWallet } from '../../domains/books/facts.ts'
import { costsOf } from '../../domains/payments/cost.ts'
import { networkVariables } from '../../domains/payments/variables.ts'
import { tick } from '../../rails/clock.ts'
import { NotReady } from '../../rails/failures.ts'
import { newestNow } from '../../rails/log/events.ts'
import { entryOf, type Log, type LogPosition } from '../../rails/log/log.ts'
import { placeOf } from '../../rails/log/open-log.ts'
import { logVariables } from '../../rails/log/variables.ts'
import { metrics } from '../../rails/metrics.ts'
import { type Running, together } from '../../rails/running.ts'
import type { Worker } from '../worker.ts'
import { Margins } from './margins.ts'
import { notesIn } from './notes.ts'
import { UnseenCosts } from './unseen-costs.ts'
import { costVariables } from './variables.ts'

interface BooksNeeds {
  log: Pick<Log, 'append' | 'watch' | 'end' | 'lag'>
  ask: AskStore
  /** Each with the time before which its chain may not have been read for it. */
  wallets: () => readonly KnownWallet[]
  now: () => number
  /** What is younger may find its other side yet. */
  graceMs?: number
}

const hourMs = 3_600_000
/** Every hour, when the hour's sales have reached the store. */
const schedule = '17 * * * *'
const everyFewSeconds = '*/3 * * * * *'
const group = 'sink'
/** What the comparison reads from the store. */
const compared = [settlements, takenBack, refunds, canaryPurchases, chainPayments, chainRanges]

type KnownWallet = OwnWallet & { sinceMs?: number }

export class Books {
  readonly #needs: BooksNeeds
  /** The newest row of each day, and the differences that stand. They are few, and the log keeps them. */
  readonly #days: Map<string, BookDay>
  readonly #open: Map<string, BookDifference>

  private constructor(needs: BooksNeeds, days: Map<string, BookDay>, open: Map<string, BookDifference>) {
    this.#needs = needs
    this.#days = days
    this.#open = open
  }

  static async open(needs: BooksNeeds): Promise<Books> {
    const days = await newestNow(needs.log, bookDays)
    const told = await newestNow(needs.log, bookDifferences)
    return new Books(needs, days, new Map([...told].filter(([, { state }]) => state === 'open')))
  }

  async round(signal: AbortSignal): Promise<void> {
    const { log, wallets, ask, now } = this.#needs
    let unjudged: TooUneven | undefined
    const shown = new Map<string, number>()
    const standing = new Set<string>()
    for (const { sinceMs = 0, ...wallet } of wallets()) {
      const nowMs = now()
      const first = [...this.#days.values()].find(day => isOf(wallet, day))
      // A store that is still behind has no first sale, and books that begin once keep their beginning.
      if (!first) await this.#caughtUp(compared, signal)
      const begin = first ?? (await beginOf(ask, { ...wallet, sinceMs }, nowMs))
      const { since, begun_at } = begin
      await this.#caughtUp([chainRanges], signal)
      // Ranges first: each is written after its payments, which are in the store once the sinks have caught up.
      const coverage = await coverageOf(ask, wallet.network, Date.parse(since))
      await this.#caughtUp(compared, signal)
      const begun = { ...wallet, begin: { since, begun_at }, ...coverage, nowMs, graceMs: this.#graceMs }
      const wanted = { ...begun, notes: await newestNow(log, bookNotes) }
      for (const day of daysFrom(since, nowMs)) {
        signal.throwIfAborted()
        if (this.#days.get(dayKey(wallet, day))?.state === 'closed') continue
        try {
          for (const key of await this.#tell(wallet, await bookedDay(ask, day, wanted))) standing.add(key)
        } catch (failure) {
          if (!(failure instanceof TooUneven)) throw failure
          unjudged ??= failure
        }
      }
      const closedMs = this.#closedThrough(wallet, since, nowMs)
      shown.set(wallet.network, Math.min(closedMs, shown.get(wallet.network) ?? closedMs))
    }
    if (!unjudged) await this.#endRefunds(standing, [...shown.keys()])
    this.#show(shown)
    // Its day stays open, which has an alert of its own.
    if (unjudged) throw unjudged
  }

  get #graceMs(): number {
    return this.#needs.graceMs ?? hourMs
  }

  /** The keys of what differs. */
  async #tell(wallet: OwnWallet, { row, differences }: BookedDay): Promise<Iterable<string>> {
    const { log } = this.#needs
    const { network, payTo } = wallet
    const { at } = row
    const found = new Map(
      differences.map(one => {
        const event: BookDifference = { network, ...one, state: 'open', at }
        return [bookDifferences.keyOf(event), event] as const
      }),
    )
    const isOfDay = (one: BookDifference) =>
      one.network === network && one.day === row.day && one.kind !== 'no_refund' && one.pay_to === payTo
    const over = [...this.#open].filter(([key, one]) => isOfDay(one) && !found.has(key))
    const fresh = [...found].filter(([key]) => !this.#open.has(key))
    await this.#change({ over, fresh }, at)
    const key = bookDays.keyOf(row)
    const before = this.#days.get(key)
    if (!before || newsIn(before) !== newsIn(row)) await log.append(bookDays.topic, [entryOf(bookDays, row)])
    this.#days.set(key, row)
    return found.keys()
  }

  /** A refund goes from an account of ours to a payer, whichever of our wallets was paid. */
  async #endRefunds(standing: ReadonlySet<string>, judged: readonly string[]): Promise<void> {
    const over = [...this.#open].filter(
      ([key, one]) => one.kind === 'no_refund' && judged.includes(one.network) && !standing.has(key),
    )
    await this.#change({ over, fresh: [] }, instant(this.#needs.now()))
  }

  async #change({ over, fresh }: Record<'over' | 'fresh', [string, BookDifference][]>, at: string) {
    const events = [
      ...over.map(([, one]): BookDifference => ({ ...one, state: 'over', at })),
      ...fresh.map(([, one]) => one),
    ]
    if (events.length)
      await this.#needs.log.append(
        bookDifferences.topic,
        events.map(one => entryOf(bookDifferences, one)),
      )
    for (const [key] of over) this.#open.delete(key)
    for (const [key, one] of fresh) this.#open.set(key, one)
  }

  /** Of each network: several wallets may be paid there. */
  #show(closedMs: ReadonlyMap<string, number>): void {
    for (const [network, ms] of closedMs) {
      const open = [...this.#open.values()].filter(one => one.network === network)
      metrics.bookDifferences.set({ network }, open.length)
      metrics.booksClosed.set({ network }, ms / 1000)
    }
  }

  #closedThrough(wallet: OwnWallet, since: string, nowMs: number): number {
    const unclosed = daysFrom(since, nowMs).find(
      day => this.#days.get(dayKey(wallet, day))?.state !== 'closed',
    )
    return startOf(unclosed ?? dayOf(nowMs))
  }

  /** Resolves when the store holds what the topics hold now. Rejects where that takes too long: nothing is judged then. */
  async #caughtUp(of: readonly { topic: Topic }[], signal: AbortSignal): Promise<void> {
    const { log } = this.#needs
    const untilMs = performance.now() + mostLagMs
    for (const { topic } of of) {
      const wanted = totalOf(await log.end(topic))
      while (totalOf(await log.end(topic)) - BigInt(await log.lag(topic, group)) < wanted) {
        if (performance.now() > untilMs) throw new NotReady(`the store is behind ${topic.name}`)
        await sleep(lookMs, undefined, { signal })
      }
    }
  }
}

const mostLagMs = 5 * 60_000
const lookMs = 500

/** The times alone are no news. */
const newsIn = (row: BookDay): string => JSON.stringify([row.state, ...counted.map(name => row[name])])
const counted = [
  ...([
    'transfers',
    'received_usdc',
    'sales',
    'sold_usdc',
    'matched',
    'matched_usdc',
    'canary',
    'canary_usdc',
  ] as const),
  ...(['reversed', 'reversed_usdc', 'refunds', 'refunded_usdc', 'differences', 'waiting'] as const),
  ...(['explained', 'dust', 'dust_usdc'] as const),
]

const totalOf = (end: LogPosition): bigint => [...end.values()].reduce((sum, one) => sum + one, 0n)
const isOf = ({ network, payTo }: OwnWallet, day: BookDay) => day.network === network && day.pay_to === payTo
const dayKey = ({ network, payTo }: OwnWallet, day: string) =>
  bookDays.keyOf({ network, pay_to: payTo, day } as BookDay)

function daysFrom(since: string, nowMs: number): string[] {
  const days: string[] = []
  for (let ms = startOf(since.slice(0, 10)); ms <= nowMs; ms += dayMs) days.push(dayOf(ms))
  return days
}

const sinkOf = ({ topic }: { topic: Topic }) => ({ topic, group })

export const keepingBooks: Worker = {
  part: 'books',
  role: 'ingest',
  reads: [...compared, bookDays, bookDifferences, bookNotes, operationDays, settleCosts],
  groups: [...compared, settleCosts].map(sinkOf),
  writes: [bookDays, bookDifferences, bookNotes, operationDays, settleCosts],
  variables: [networkVariables, costVariables],
  open: ({ alone, store, read, payees, now, onFailed }) =>
    alone('books', async ({ log }) => {
      const opened = await store()
      const ours = read(networkVariables).flatMap(({ name, payTo }) =>
        payTo ? [ownWallet(name, payTo)] : [],
      )
      const isOurs = (one: OwnWallet) =>
        ours.some(({ network, payTo }) => network === one.network && payTo === one.payTo)
      const wallets = () => [
        ...ours,
        ...payees()
          .map(({ network, address, sinceMs }) => ({ ...ownWallet(network, address), sinceMs }))
          .filter(one => !isOurs(one)),
      ]
      const ask: AskStore = (sql, params) => opened.query(sql, params)
      const books = await Books.open({ log, ask, wallets, now })
      const chains = read(networkVariables).map(({ name, rpcUrls }) => ({
        ...{ network: name, costOf: costsOf(name, rpcUrls) },
      }))
      const unseen = new UnseenCosts({ log, ask, chains, now })
      const margins = await Margins.open({ log, ask, costs: read(costVariables), now })
      const rounds = tick(schedule, hourMs / 60, async signal => {
        const ended = await Promise.allSettled([
          books.round(signal),
          unseen.round(signal),
          margins.round(signal),
        ])
        const failures = ended.flatMap(one => (one.status === 'rejected' ? [one.reason] : []))
        if (!signal.aborted) for (const failure of failures) onFailed('books', failure)
        return failures.length === 0
      })
      const { file } = placeOf(read(logVariables))
      return together([rounds, takingNotes({ log, file, again: () => rounds.again(), onFailed })])
    }),
}

interface NotesNeeds {
  log: Pick<Log, 'append'>
  file: string | undefined
  again(): Promise<void>
  onFailed(name: string, failure: unknown): void
}

/** A note that was left beside the log of one file goes into the log, and its day is looked at once more. */
const takingNotes = ({ log, file, again, onFailed }: NotesNeeds): Running =>
  tick(everyFewSeconds, 0, async () => {
    try {
      const left = file === undefined ? [] : notesIn(file)
      const notes = left.flatMap(({ note }) => note ?? [])
      if (notes.length)
        await log.append(
          bookNotes.topic,
          notes.map(note => entryOf(bookNotes, note)),
        )
      for (const { taken } of left) taken()
      if (notes.length) void again()
      return true
    } catch (failure) {
      onFailed('books', failure)
      return false
    }
  })
