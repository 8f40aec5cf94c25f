/**
 * Tells what transactions of our own settling have cost whose end no settler has seen, because its process had ended. The chain shows who
 * paid for them, and a key that pays once is known by its costs. One that moved nothing leaves no trace among the payments.
 */
import { type SettleCost, settleCosts } from '../../../schemas/settle-costs.ts'
import { type NetworkName, networks } from '../../../schemas/tables/networks.ts'
import { instant } from '../../../schemas/values/values.ts'
import { dayMs } from '../../domains/books/books.ts'
import { type AskStore, time } from '../../domains/books/facts.ts'
import type { CostOf } from '../../domains/payments/cost.ts'
import { entryOf, type Log } from '../../rails/log/log.ts'

interface Chain {
  network: NetworkName
  costOf: CostOf
}

interface UnseenNeeds {
  log: Pick<Log, 'append' | 'lag'>
  ask: AskStore
  chains: readonly Chain[]
  now: () => number
}

interface Unseen {
  tx: string
  key: string
  transfers: string
  at_ms: string
}

/** What is older is rolled up no more. */
const lookedBackMs = 3 * dayMs
/** A settler tells what it has seen, and all transfers of a transaction are in the store by then. */
const graceMs = 2 * 3_600_000
/** More are told in the next round. */
const mostAtOnce = 500

const unseenSql = `
  select tx, any(assumeNotNull(facilitator)) as key, toString(count()) as transfers, toString(toUnixTimestamp64Milli(min(at))) as at_ms
  from chain_payments
  where network = {network: String} and at >= ${time('from')} and at < ${time('to')} and not provisional and method <> 'plain'
    and facilitator in (select key from settle_costs where network = {receipt: String} and at >= ${time('from')})
    and tx not in (select tx from settle_costs where network = {receipt: String} and at >= ${time('from')})
  group by tx order by at_ms desc limit ${mostAtOnce}`

export class UnseenCosts {
  readonly #needs: UnseenNeeds

  constructor(needs: UnseenNeeds) {
    this.#needs = needs
  }

  async round(signal: AbortSignal): Promise<void> {
    const { log, chains } = this.#needs
    // What a settler has told may not be in the store yet.
    if (Number(await log.lag(settleCosts.topic, 'sink')) > 0) return
    const ended = await Promise.allSettled(chains.map(chain => this.#tell(chain, signal)))
    for (const one of ended) if (one.status === 'rejected') throw one.reason
  }

  async #tell({ network, costOf }: Chain, signal: AbortSignal): Promise<void> {
    const { ask, log, now } = this.#needs
    const { receipt } = networks[network]
    const [from, to] = [now() - lookedBackMs, now() - graceMs].map(String) as [string, string]
    const unseen = await ask<Unseen>(unseenSql, { network, receipt, from, to })
    for (const { tx, key, transfers, at_ms } of unseen) {
      signal.throwIfAborted()
      const cost = await costOf(tx)
      if (!cost) continue
      const { gas, coins, below } = cost
      const at = instant(Number(at_ms))
      const fact: SettleCost = {
        ...{ network: receipt, tx, at, key, transfers: Number(transfers), gas, coins, coins_below: below },
      }
      await log.append(settleCosts.topic, [entryOf(settleCosts, fact)])
    }
  }
}
