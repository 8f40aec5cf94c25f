/** What topic, table, view and statement say of the sales to a wallet. They are four ways to the same facts, and must not differ. */

import type { SettlementEvent } from '../../../schemas/settlements.ts'
import { networks } from '../../../schemas/tables/networks.ts'
import { fromAtoms, plainAddress } from '../../../schemas/tables/stablecoins.ts'
import { atomsOf } from '../payments/atoms.ts'
import { type AskStore, type OwnWallet, plainOf, salesOf, time } from './facts.ts'
import { type SoldOfDay, soldSql } from './statement.ts'

export interface Span {
  fromMs: number
  toMs: number
}

interface ToldSales {
  count: number
  usdc: string
}

const { decimals } = networks.base

/** A sale may be told again later, so it is that of its first telling. */
export async function toldByStore(ask: AskStore, wallet: OwnWallet, { fromMs, toMs }: Span) {
  const { network, payTo } = wallet
  const params = {
    ...{ payTo, from: String(fromMs), to: String(toMs), oldest: String(fromMs), home: '' },
  }
  const ofWallet = `network = '${networks[network].receipt}' and ${plainOf(network)('pay_to')} = {payTo: String} and at >= ${time('from')} and at < ${time('to')}`
  const sum = async (rows: string): Promise<ToldSales> => {
    const [row] = await ask<{ count: string; usdc: string }>(
      `select toString(count()) as count, toString(sum(usdc)) as usdc from (${rows})`,
      params,
    )
    return { count: Number(row?.count ?? 0), usdc: row?.usdc ?? '0' }
  }
  const table = await sum(
    `select spend_id, toDecimal128(any(amount_usdc), 6) as usdc from settlements where state = 'settled' and ${ofWallet} group by spend_id`,
  )
  const view = await sum(
    `select spend_id, toDecimal128(any(price_usdc), 6) as usdc from receipts where ${ofWallet} group by spend_id`,
  )
  // The statement leaves out what moved nothing after all.
  const reversed = await sum(
    `select toDecimal128(amount, 6) as usdc from (${salesOf(network, `at >= ${time('from')} and at < ${time('to')}`)}) where ended in ('lost', 'refuted')`,
  )
  const sold = await ask<SoldOfDay>(soldSql(wallet), params)
  return { table, view, statement: added([reversed, ...sold]) }
}

const added = (rows: readonly { count: string | number; usdc: string }[]): ToldSales => ({
  count: rows.reduce((sum, { count }) => sum + Number(count), 0),
  usdc: fromAtoms(
    rows.reduce((sum, { usdc }) => sum + atomsOf(usdc), 0n),
    decimals,
  ),
})

/** Gathers what the topic says, in any order and as often as it comes. */
export class ToldByTopic {
  readonly #first = new Map<string, SettlementEvent>()

  hear(event: SettlementEvent): void {
    if (event.state !== 'settled') return
    const before = this.#first.get(event.spend_id)
    if (!before || event.at < before.at) this.#first.set(event.spend_id, event)
  }

  of({ network, payTo }: OwnWallet, { fromMs, toMs }: Span): ToldSales {
    let [count, atoms] = [0, 0n]
    for (const { at, network: on, pay_to, amount_usdc } of this.#first.values()) {
      const ms = Date.parse(at)
      if (on !== networks[network].receipt || plainAddress(pay_to) !== payTo || ms < fromMs || ms >= toMs)
        continue
      count++
      atoms += atomsOf(amount_usdc)
    }
    return { count, usdc: fromAtoms(atoms, decimals) }
  }
}
