import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openStore } from '../../pipelines/rails/store/open-store.ts'
import { canaryPurchases } from '../../schemas/canary-purchases.ts'
import type { Dataset } from '../../schemas/dataset/dataset.ts'
import { fxCorrections } from '../../schemas/fx-corrections.ts'
import { fxRates } from '../../schemas/fx-rates.ts'
import { settlements } from '../../schemas/settlements.ts'
import { scratchFolder } from '../scratch.ts'
import { settlement } from './settlement.ts'

const rates = fxRates as unknown as Dataset
const corrections = fxCorrections as unknown as Dataset
const sales = settlements as unknown as Dataset

it('a sale has its worth once the rate of its day is known, and a correction changes nothing in silence', async () => {
  const store = await openStore(`embedded:${join(scratchFolder(), 'store')}`)
  onTestFinished(() => store.close())
  await store.apply([canaryPurchases as unknown as Dataset, rates, sales, corrections])
  let version = 0n
  const insert = (dataset: Dataset, event: Record<string, unknown>) =>
    store.insert(dataset, [{ event, version: ++version }])
  const sold = (name: string, at: string) =>
    insert(sales, settlement(name, { at, request_id: name, amount_usdc: '3' }))
  const worth = async () =>
    Object.fromEntries(
      (
        await store.query<Record<string, unknown>>(
          `select request_id, toString(w.usd) as usd, toString(rate_day) as day, toString(w.eur) as eur, toString(round(w.eur * rates['GBP'], 2)) as gbp,
            toString(eur_corrected) as corrected, corrected_at is not null as is_corrected from receipts_worth as w`,
        )
      ).map(({ request_id, ...row }) => [request_id, row]),
    )
  const unknown = { usd: '3', day: null, eur: null, corrected: null, is_corrected: 0 }
  await sold('friday', '2026-11-20T10:00:00.000Z')
  await sold('saturday', '2026-11-21T10:00:00.000Z')
  await insert(rates, { day: '2026-11-19', rates: { USD: '1.5', GBP: '0.8' } })
  // That of the day before is not its rate.
  expect(await worth()).toMatchObject({ friday: unknown, saturday: unknown })
  await insert(rates, { day: '2026-11-20', rates: { USD: '1.2', GBP: '0.9' } })
  const friday = { usd: '3', day: '2026-11-20', eur: '2.5', gbp: '2.25', corrected: null, is_corrected: 0 }
  expect(await worth()).toMatchObject({ friday, saturday: unknown })
  await insert(rates, { day: '2026-11-23', rates: { USD: '1', GBP: '1' } })
  expect(await worth()).toEqual({ friday, saturday: friday })
  await insert(rates, { day: '2026-11-20', rates: { USD: '1.25', GBP: '0.9' } })
  await insert(corrections, {
    ...{ day: '2026-11-20', at: '2026-11-24T10:00:00.000Z' },
    ...{ was: { USD: '1.2', GBP: '0.9' }, rates: { USD: '1.25', GBP: '0.9' } },
  })
  expect((await worth()).friday).toEqual({ ...friday, corrected: '2.4', is_corrected: 1 })
  const knownAt = (at: string) =>
    store.query(
      `select toString(rate) as rate, is_correction from fx_as_known where day = '2026-11-20' and currency = 'USD' and known_from <= {at: DateTime64(3, 'UTC')} and {at: DateTime64(3, 'UTC')} < known_until`,
      { at },
    )
  expect(await knownAt('2026-11-20 14:59:59')).toEqual([])
  expect(await knownAt('2026-11-20 15:00:00')).toEqual([{ rate: '1.2', is_correction: false }])
  expect(await knownAt('2026-11-24 10:00:00')).toEqual([{ rate: '1.25', is_correction: true }])
})
