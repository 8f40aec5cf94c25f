/** The page of the status with what a test says of the store, the sources and the canary. */
import { StoreAway } from '../../../pipelines/rails/store/store.ts'
import { type CanaryPurchase, canaryPurchases } from '../../../schemas/canary-purchases.ts'
import type { NetworkName } from '../../../schemas/tables/networks.ts'
import { statusPages } from '../../../services/pages/status.ts'
import { Shelf } from '../../../services/query/shelf.ts'
import { originOf } from '../an-origin.ts'
import { polled } from '../origins/ask.ts'

export const start = Date.parse('2026-11-20T00:00:00Z')
export const dayMs = 86_400_000
/** One list for all tests, since the lineage is derived once for a list. */
export const origins = [originOf([])]

/** Opens the page. While the store is there, it answers with these days. */
export function openStatus(
  days: object[] | Promise<object[]>,
  bought: CanaryPurchase[] = [],
  explored: NetworkName[] = [],
  late: object[] = [],
) {
  const shelf = new Shelf(() => at.now)
  const at = { now: start + 2 * dayMs, isAway: false }
  polled(shelf, 'ecb', at.now - 60_000)
  shelf.take(
    canaryPurchases,
    bought.map((row, i) => ({
      ...{ key: row.purchase_id, value: JSON.stringify(row), partition: 0, offset: BigInt(i), at: 0 },
    })),
  )
  const query = async (sql: string) => {
    if (at.isAway) throw new StoreAway('nobody answers')
    return sql.includes('door_counts') ? late : days
  }
  const store = { query, ping: async () => !at.isAway }
  const parts = { roles: ['query'], now: () => at.now, shelf, store, samples: new Set(), groups: [] }
  const [page, feed] = statusPages(parts as never, 'ops@farebox.example', explored)
  const text = async () =>
    String((await page?.answer({ accept: '', path: '/status', query: {}, origins }))?.body)
  return { at, shelf, text, feed }
}

export const purchase = (nth: number, more: Partial<CanaryPurchase>): CanaryPurchase => ({
  ...{ purchase_id: `00000000-0000-4000-8000-00000000000${nth}`, state: 'good', network: 'base' },
  ...{ at: '2026-11-21T23:00:00.000Z', next_at: '2026-11-22T00:00:00.000Z', took_ms: 5, operation: '/fx' },
  ...{ price_usdc: '0.002', payer: '0xa', pay_to: '0xb', request_id: 'r', failed_step: null, reason: null },
  payment_tx: `0x${'ab'.repeat(32)}`,
  ...more,
})
