/** Rolls up what each operation has brought and cost, for the last days, and tells of an operation whose costs are above its revenue. */
import { type OperationDay, operationDays } from '../../../schemas/operation-days.ts'
import type { ReceiptNetwork } from '../../../schemas/tables/networks.ts'
import { instant } from '../../../schemas/values/values.ts'
import { dayMs, dayOf } from '../../domains/books/books.ts'
import type { AskStore } from '../../domains/books/facts.ts'
import { emptyDay, operationDaysOf } from '../../domains/books/margins.ts'
import { newestNow } from '../../rails/log/events.ts'
import { entryOf, type Log } from '../../rails/log/log.ts'
import { metrics } from '../../rails/metrics.ts'
import type { ReadCosts } from './variables.ts'

interface MarginNeeds {
  log: Pick<Log, 'append' | 'watch'>
  ask: AskStore
  costs: ReadCosts
  now: () => number
}

/** Calls are told by the minute, and a sale may end after a day. What is older stays as it was told. */
const recentDays = 3
/** A single day has its chances. */
const judgedDays = 7

export class Margins {
  readonly #needs: MarginNeeds
  /** The newest rows of this month and the one before, by their keys. */
  readonly #rows: Map<string, OperationDay>

  private constructor(needs: MarginNeeds, rows: Map<string, OperationDay>) {
    this.#needs = needs
    this.#rows = rows
  }

  static async open(needs: MarginNeeds): Promise<Margins> {
    const margins = new Margins(needs, await newestNow(needs.log, operationDays))
    margins.#forget()
    margins.#show()
    return margins
  }

  async round(signal: AbortSignal): Promise<void> {
    const { ask, costs, now } = this.#needs
    const prices = costs()
    for (let back = recentDays - 1; back >= 0; back--) {
      signal.throwIfAborted()
      const nowMs = now()
      const day = dayOf(nowMs - back * dayMs)
      const settledBefore = (network: ReceiptNetwork) => this.#settledBefore(day, network)
      await this.#tell(day, await operationDaysOf(ask, { day, prices, settledBefore, nowMs }))
    }
    this.#forget()
    this.#show()
  }

  async #tell(day: string, found: readonly OperationDay[]): Promise<void> {
    const { log, now } = this.#needs
    const rows = new Map(found.map(row => [operationDays.keyOf(row), row]))
    for (const [key, row] of this.#rows)
      if (row.day === day && !rows.has(key)) rows.set(key, emptyDay({ ...placeOf(row), at: instant(now()) }))
    const news = [...rows].filter(([key, row]) => newsIn(row) !== newsIn(this.#rows.get(key)))
    if (news.length === 0) return
    await log.append(
      operationDays.topic,
      news.map(([, row]) => entryOf(operationDays, row)),
    )
    for (const [key, row] of news) this.#rows.set(key, row)
  }

  #settledBefore(day: string, network: ReceiptNetwork): bigint {
    let sum = 0n
    for (const row of this.#rows.values())
      if (row.network === network && row.day < day && row.day.slice(0, 7) === day.slice(0, 7))
        sum += BigInt(row.others_settled)
    return sum
  }

  #forget(): void {
    const oldest = dayOf(this.#needs.now() - 62 * dayMs)
    for (const [key, { day }] of this.#rows) if (day < oldest) this.#rows.delete(key)
  }

  /** Of each operation that was asked in the last week. */
  #show(): void {
    const nowMs = this.#needs.now()
    const [since, today] = [dayOf(nowMs - (judgedDays - 1) * dayMs), dayOf(nowMs)]
    const sums = new Map<string, { origin: string; operation: string; revenue: number; costs: number }>()
    for (const { day, origin, operation, ...row } of this.#rows.values()) {
      if (day < since || day > today || operation === '') continue
      const key = `${origin} ${operation}`
      const sum = sums.get(key) ?? { origin, operation, revenue: 0, costs: 0 }
      sums.set(key, sum)
      sum.revenue += Number(row.revenue_usdc)
      sum.costs +=
        Number(row.refunded_usdc) + Number(row.gas_usd) + Number(row.facilitator_usd) + Number(row.calls_usd)
    }
    metrics.operationRevenue.reset()
    metrics.operationCosts.reset()
    for (const { origin, operation, revenue, costs } of sums.values()) {
      metrics.operationRevenue.set({ origin, operation }, revenue)
      metrics.operationCosts.set({ origin, operation }, costs)
    }
  }
}

const placeOf = ({ day, origin, operation, network }: OperationDay) => ({ day, origin, operation, network })

/** The time alone is no news. */
const newsIn = (row: OperationDay | undefined): string =>
  row ? JSON.stringify(told.map(name => row[name])) : ''
const told = (Object.keys(operationDays.fields) as (keyof OperationDay)[]).filter(name => name !== 'at')
