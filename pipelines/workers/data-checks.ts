/** Checks the rows of each dataset after every load, and records the results as facts. */
import { type DataCheck, dataChecks } from '../../schemas/data-checks.ts'
import { type Check, type Dataset, lately } from '../../schemas/dataset/dataset.ts'
import { offsetBits } from '../../schemas/dataset/version.ts'
import { datasets } from '../../schemas/index.ts'
import { instant } from '../../schemas/values/values.ts'
import { tick } from '../rails/clock.ts'
import { entryOf, type Log } from '../rails/log/log.ts'
import { metrics } from '../rails/metrics.ts'
import type { Store } from '../rails/store/store.ts'
import type { Worker } from './worker.ts'

interface CheckNeeds {
  store: Pick<Store, 'examine' | 'keepOne' | 'loads' | 'newest'>
  log: Pick<Log, 'append'>
  now: () => number
  /** Hears why a check did not run. */
  onFailed(error: unknown): void
}

/** What one check has found. */
interface Finding {
  wrong: number
  detail: string
  whole: boolean
}

/** The last run of a check that has found nothing wrong. */
interface Pass {
  /** The highest version that it has seen; null: an older version of the service, which did not tell. */
  through: string | null
  whole_at: string
  facts: string
}

const hourMs = 3_600_000
/** A look at all rows takes an hour at most, and no two of them are a day apart. */
const wholeMs = 22 * hourMs

/** The SQL of a check of what has come since it passed, or of all rows. */
export function wrongSql({ wrong, againHours = 1 }: Check, pass?: Pick<Pass, 'through'>): string {
  if (!pass?.through) return wrong.replaceAll(lately, 'true')
  // A version begins with the time at which the log took the event.
  const again = BigInt(againHours * hourMs) << offsetBits
  const since = BigInt(pass.through) - again
  return wrong.replaceAll(lately, `version > ${since < 0n ? 0n : since}`)
}

/** What an older file holds of a fact is older than what came lately, so older files need not be asked about it. */
const ofFiles = 'settings use_skip_indexes_if_final_exact_mode = 0'

/** Above so many, the facts are counted once a day. */
const mostCounted = 5_000_000
const notFewer = 'no fewer than before'

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
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
    const passes = once(() => this.#passes(name))
    const newest = once(() => store.newest(dataset))

    async function run(check: string, find: (pass: Pass | undefined) => Promise<Finding>): Promise<void> {
      const of = { dataset: name, check }
      const told = { ...of, passed: false, wrong: 0, detail: '', through: null, whole: true }
      try {
        const pass = (await passes()).get(check)
        Object.assign(told, { through: String(await newest()) }, await find(pass))
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

    await run('rows', async pass => {
      const before = Number(pass?.facts ?? 0)
      facts = before
      await store.keepOne(dataset)
      // The engine knows this number. Of facts that were told twice, it counts both.
      const all = Number(
        (await this.#one<{ n: string }>(`select count() as n from ${name} settings final = 0`))?.n,
      )
      if (all > mostCounted && all >= before && this.#isRecent(pass))
        return { wrong: 0, detail: notFewer, whole: false }
      facts = Number((await this.#one<{ n: string }>(`select count() as n from ${name}`))?.n)
      // These tables lose facts on purpose.
      const lost = dataset.table.expires || dataset.withdrawn ? 0 : Math.max(0, before - facts)
      return { wrong: lost, detail: lost ? `there were ${before}` : notFewer, whole: true }
    })
    for (const check of checks)
      await run(check.name, async pass => {
        const whole = !check.wrong.includes(lately) || !this.#isRecent(pass)
        const row = await this.#one<{ wrong: string; example: string }>(
          `select count() as wrong, toString(any(tuple(*))) as example from (${wrongSql(check, whole ? undefined : pass)}) ${ofFiles}`,
        )
        const wrong = Number(row?.wrong)
        return { wrong, detail: wrong ? `${check.about}: ${row?.example}` : check.about, whole }
      })
    return found
  }

  /** Who has looked at all rows of this day looks at those that have come since. */
  #isRecent(pass: Pass | undefined): pass is Pass {
    return (
      pass !== undefined && pass.through !== null && this.#needs.now() - Date.parse(pass.whole_at) < wholeMs
    )
  }

  /** How far each check of a dataset has passed, whichever process has run it. */
  async #passes(dataset: string): Promise<Map<string, Pass>> {
    const rows = await this.#needs.store.examine<Pass & { check: string }>(
      `select check, maxIf(through, passed) as through, maxIf(at, passed and whole) as whole_at, argMax(facts, at) as facts
      from data_checks where dataset = '${dataset}' and not startsWith(detail, '${stopped}') group by check`,
    )
    // A table that was built anew or changed holds rows that nobody has looked at.
    const made = await this.#one<{ ms: string }>(
      `select toString(toUnixTimestamp(max(metadata_modification_time)) * 1000) as ms from system.tables where database = currentDatabase() and name = '${dataset}'`,
    )
    const isSeen = ({ whole_at }: Pass) => Date.parse(whole_at) > Number(made?.ms)
    return new Map(
      rows.map(({ check, ...pass }) => [check, isSeen(pass) ? pass : { ...pass, through: null }]),
    )
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
  // One sink of all looks, and sums up what many ask for: others would ask the engine the same.
  open: ({ alone, store, now, onFailed }) =>
    alone('checks', async ({ log }) => {
      const told = (error: unknown) => onFailed('checks', error)
      const checking = new DataChecking({ store: await store(), log, now, onFailed: told })
      // Checks have no checks of their own, or they would never end.
      const open = datasets.filter(
        ({ name, audience }) => audience === 'analysts' && name !== dataChecks.name,
      )
      const ticking = tick(schedule, 30_000, async signal => {
        try {
          await checking.round(open, signal)
          return true
        } catch (failure) {
          if (!signal.aborted) told(failure)
          return false
        }
      })
      return {
        ended: ticking.ended,
        close: async () => {
          await ticking.close()
          // Another process tells from now on.
          for (const gauge of [metrics.dataCheckFailed, metrics.dataCheckStopped]) gauge.reset()
        },
      }
    }),
}
