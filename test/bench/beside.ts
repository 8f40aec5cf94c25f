/** Analysts and sinks beside each other: what a caller, an analyst and a sink wait for, alone and beside the others. */
import type { Store } from '../../pipelines/rails/store/store.ts'
import { type SecFact, secConcepts, secFacts } from '../../schemas/sec-facts.ts'
import { ask, line } from './asked.ts'

/** Two sinks, as they insert: a thousand facts of a company at a time. */
async function sinks(store: Store, signal: AbortSignal): Promise<number[]> {
  const [one] = await store.query<SecFact>('select * except (version, is_deleted) from sec_facts limit 1')
  if (!one) throw new Error('there are no facts')
  const took: number[] = []
  const sink = async (nth: number) => {
    for (let n = 0; !signal.aborted; n++) {
      const rows = Array.from({ length: 1000 }, (_, i) => ({
        event: {
          ...one,
          cik: 900_000 + nth,
          accession: `${String(n).padStart(10, '0')}-20-${String(i).padStart(6, '0')}`,
        },
        version: BigInt(n + 1),
      }))
      const begun = performance.now()
      await store.insert(secFacts as never, rows)
      took.push(performance.now() - begun)
    }
  }
  await Promise.all([sink(1), sink(2)])
  return took
}

const timed = async (of: () => Promise<unknown>): Promise<number> => {
  const begun = performance.now()
  await of()
  return performance.now() - begun
}
const times = async (count: number, of: (nth: number) => Promise<unknown>): Promise<number[]> => {
  const took: number[] = []
  for (let n = 0; n < count; n++) took.push(await timed(() => of(n)))
  return took
}
/** Each asks for another company. */
const companyOf = (nth: number) => 1000 + ((nth * 37) % 7000)

export async function besideSinks(store: Store): Promise<void> {
  const caller = (count: number) =>
    times(count, nth =>
      store.read(
        secConcepts,
        `where concept = 'Concept007' and period_end = '2020-12-31' and cik = ${companyOf(nth)}`,
      ),
    )
  const analyst = (count: number) =>
    times(count, nth =>
      ask(store, `select concept, period_end, value from sec_facts where cik = ${companyOf(nth)}`),
    )
  // A question that reaches its limit has taken that time.
  const scans = (count: number) =>
    times(count, () => ask(store, 'select sum(value) from sec_facts where days = 90').catch(() => {}))
  const found: [string, number[]][] = []
  found.push(['a question that a caller waits for, alone', await caller(200)])
  found.push(['a point query of an analyst, alone', await analyst(200)])
  found.push(['a scan of an analyst, alone', await scans(5)])
  const alone = new AbortController()
  const loading = sinks(store, alone.signal)
  found.push(['a question of a caller beside two sinks', await caller(200)])
  found.push(['a point query beside two sinks', await analyst(200)])
  alone.abort()
  found.push(['inserts of 1,000 facts beside these', await loading])
  const both = new AbortController()
  const [loaded, scanned] = [sinks(store, both.signal), scans(5)]
  found.push(['a question of a caller beside two sinks and a scan', await caller(200)])
  found.push(['a point query beside two sinks and a scan', await analyst(100)])
  found.push(['a scan beside two sinks', await scanned])
  both.abort()
  found.push(['inserts of 1,000 facts beside a scan', await loaded])
  console.log('\n| | p50 | p99 | how many |\n|---|---:|---:|---:|')
  for (const [name, took] of found) console.log(line(name, took))
}
