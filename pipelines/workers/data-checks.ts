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
  store: Pick<Store, 'examine' | 'keepOne' | 'loads'>
  log: Pick<Log, 'append'>
  now: () => number
  /** Hears why a check did not run. */
  onFailed(error: unknown): void
}

/** What one check has found. */
interface Finding {
  wrong: number
  detail: string
}

/** Checks every table with new rows since the last round. */
export class DataChecking {
  readonly #needs: CheckNeeds
  /** The mark of the last checked load of each table. */
  readonly #seen = new Map<string, string>()

  constructor(needs: CheckNeeds) {
    this.#needs = needs
  }

  async round(of: readonly Dataset[], signal?: AbortSignal): Promise<void> {
    const { store, log } = this.#needs
    const loaded = await store.loads()
    for (const dataset of of) {
      signal?.throwIfAborted()
      const last = loaded.get(dataset.name)
      if (last === undefined || last === this.#seen.get(dataset.name)) continue
      const found = await this.#check(dataset)
      await log.append(
        dataChecks.topic,
        found.map(check => entryOf(dataChecks, check)),
      )
      // Time alone may mend a failed check, so it is repeated even without new rows.
      if (found.every(({ passed }) => passed)) this.#seen.set(dataset.name, last)
    }
  }

  /** Each check runs on its own: one that cannot run is told, and stops no other. */
  async #check(dataset: Dataset): Promise<DataCheck[]> {
    const { store, now, onFailed } = this.#needs
    const { name, checks } = dataset
    const found: DataCheck[] = []
    let facts = 0

    async function run(check: string, find: () => Promise<Finding>): Promise<void> {
      const of = { dataset: name, check }
      const told = { ...of, passed: false, wrong: 0, detail: '' }
      try {
        Object.assign(told, await find())
        told.passed = told.wrong === 0
        metrics.dataCheckFailed.set(of, told.passed ? 0 : 1)
        metrics.dataCheckStopped.set(of, 0)
      } catch (failure) {
        const why = failure instanceof Error ? failure.message : String(failure)
        told.detail = `${stopped}: ${why.slice(0, mostLetters)}`
        metrics.dataCheckStopped.set(of, 1)
        onFailed(new Error(`${name}: the check ${check} ${told.detail}`, { cause: failure }))
      }
      found.push({ ...told, at: instant(now()), facts })
    }

    await run('rows', async () => {
      const before = await this.#factsBefore(name)
      facts = before
      await store.keepOne(dataset)
      facts = Number((await this.#one<{ n: string }>(`select count() as n from ${name}`))?.n)
      // These tables lose facts on purpose.
      const lost = dataset.table.expires || dataset.withdrawn ? 0 : Math.max(0, before - facts)
      return { wrong: lost, detail: lost ? `there were ${before}` : 'no fewer than before' }
    })
    for (const { name: check, about, wrong } of checks)
      await run(check, async () => {
        const row = await this.#one<{ wrong: string; example: string }>(
          `select count() as wrong, toString(any(tuple(*))) as example from (${wrong})`,
        )
        const count = Number(row?.wrong)
        return { wrong: count, detail: count ? `${about}: ${row?.example}` : about }
      })
    return found
  }

  async #factsBefore(name: string): Promise<number> {
    const row = await this.#one<{ facts: string }>(
      `select facts from data_checks where dataset = '${name}' and check = 'rows' and not startsWith(detail, '${stopped}') order by at desc limit 1`,
    )
    return Number(row?.facts ?? 0)
  }

  async #one<Row>(sql: string): Promise<Row | undefined> {
    return (await this.#needs.store.examine<Row>(sql))[0]
  }
}

/** So begins the detail of a check that could not run. */
const stopped = 'did not run'
/** What is kept of an error of the store. */
const mostLetters = 1_000
/** A load of the SEC takes hours, so its table is checked while it grows. */
const schedule = '*/10 * * * *'

export const checking: Worker = {
  part: 'checks',
  role: 'sink',
  writes: [dataChecks],
  open: async ({ store, log, now, onFailed }) => {
    const told = (error: unknown) => onFailed('checks', error)
    const checking = new DataChecking({ store: await store(), log, now, onFailed: told })
    // Checks have no checks of their own, or they would never end.
    const open = datasets.filter(({ name, audience }) => audience === 'analysts' && name !== dataChecks.name)
    return tick(schedule, 30_000, async signal => {
      try {
        await checking.round(open, signal)
        return true
      } catch (failure) {
        if (!signal.aborted) told(failure)
        return false
      }
    })
  },
}
