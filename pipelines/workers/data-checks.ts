/** Checks the rows of each dataset after every load, and records the results as facts. */
import { type DataCheck, dataChecks } from '../../schemas/data-checks.ts'
import type { Dataset } from '../../schemas/dataset/dataset.ts'
import { datasets } from '../../schemas/index.ts'
import { instant } from '../../schemas/values/values.ts'
import { tick } from '../rails/clock.ts'
import { entryOf, type Log } from '../rails/log/log.ts'
import { metrics } from '../rails/metrics.ts'
import type { Store } from '../rails/store/store.ts'
import type { Worker } from './worker.ts'

interface CheckNeeds {
  store: Pick<Store, 'query' | 'loads'>
  log: Pick<Log, 'append'>
  now: () => number
}

/** Checks every table with new rows since the last round. */
export class DataChecking {
  readonly #needs: CheckNeeds
  /** The mark of the last checked load of each table. */
  readonly #seen = new Map<string, string>()

  constructor(needs: CheckNeeds) {
    this.#needs = needs
  }

  async round(of: readonly Dataset[]): Promise<void> {
    const loaded = await this.#needs.store.loads()
    for (const dataset of of) {
      const last = loaded.get(dataset.name)
      if (last === undefined || last === this.#seen.get(dataset.name)) continue
      const found = await this.#check(dataset)
      await this.#needs.log.append(
        dataChecks.topic,
        found.map(check => entryOf(dataChecks, check)),
      )
      for (const { dataset, check, passed } of found)
        metrics.dataCheckFailed.set({ dataset, check }, passed ? 0 : 1)
      // Time alone may mend a failed check, so it is repeated even without new rows.
      if (found.every(({ passed }) => passed)) this.#seen.set(dataset.name, last)
    }
  }

  async #check({ name, checks, table, withdrawn }: Dataset): Promise<DataCheck[]> {
    const { store, now } = this.#needs
    const one = async <Row>(sql: string) => (await store.query<Row>(sql))[0]
    const facts = Number((await one<{ n: string }>(`select count() as n from ${name}`))?.n)
    const before = await one<{ facts: string }>(
      `select facts from data_checks where dataset = '${name}' and check = 'rows' order by at desc limit 1`,
    )
    // These tables lose facts on purpose.
    const lost = table.expires || withdrawn ? 0 : Math.max(0, Number(before?.facts ?? 0) - facts)
    const found = [told('rows', lost, lost ? `there were ${before?.facts}` : 'no fewer than before')]
    for (const { name: check, about, wrong } of checks) {
      const row = await one<{ wrong: string; example: string }>(
        `select count() as wrong, toString(any(tuple(*))) as example from (${wrong})`,
      )
      const count = Number(row?.wrong)
      found.push(told(check, count, count ? `${about}: ${row?.example}` : about))
    }
    return found

    function told(check: string, wrong: number, detail: string): DataCheck {
      return { dataset: name, check, at: instant(now()), passed: wrong === 0, wrong, facts, detail }
    }
  }
}

/** A load of the SEC takes hours, so its table is checked while it grows. */
const schedule = '*/10 * * * *'

export const checking: Worker = {
  part: 'checks',
  role: 'sink',
  writes: [dataChecks],
  open: async ({ store, log, now, onFailed }) => {
    const checking = new DataChecking({ store: await store(), log, now })
    // Checks have no checks of their own, or they would never end.
    const open = datasets.filter(({ name, audience }) => audience === 'analysts' && name !== dataChecks.name)
    return tick(schedule, 30_000, async signal => {
      try {
        await checking.round(open)
        return true
      } catch (failure) {
        if (!signal.aborted) onFailed('checks', failure)
        return false
      }
    })
  },
}
