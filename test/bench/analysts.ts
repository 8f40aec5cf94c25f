/** Paid calls while four analysts burn the store of the same machine, beside the same calls without them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '../../pipelines/rails/store/open-store.ts'
import { start } from './child.ts'
import { load, percentile } from './load.ts'
import { paidCalls, quoteOf } from './payments.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const most = 4
const calls = { connections: 8, status: 200, perSecond: 50 }
const perRound = 500

/** Queries that take all of the processor and memory that their user gets. */
const burning = [
  'select cityHash64(number) % 1000000 as k, count(), avg(number) from numbers(20000000) group by k order by k limit 1',
  'select uniqExact(number * 7) from numbers(3000000)',
]

interface Burners {
  /** Resolves when the last query has ended. */
  stop(): Promise<{ queries: number; refused: number }>
}

function burn(http: string): Burners {
  const stopping = new AbortController()
  let [queries, refused] = [0, 0]
  const analyst = async (nth: number) => {
    for (let n = nth; !stopping.signal.aborted; n++) {
      const body = burning[n % burning.length] as string
      const answer = await fetch(`${http}/?user=analyst`, { method: 'POST', body, signal: stopping.signal })
      await answer.text()
      if (answer.ok) queries++
      else refused++
    }
  }
  const all = Promise.allSettled(Array.from({ length: most }, (_, nth) => analyst(nth)))
  return {
    async stop() {
      stopping.abort()
      await all
      return { queries, refused }
    },
  }
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number

export async function analysts(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-bench-'))
  const store = await openStore(`embedded:${join(folder, 'store')}`)
  const facilitator = await start('facilitator')
  const farebox = await start('farebox', [facilitator.url])
  const { offer } = await quoteOf(farebox)
  const found = { alone: [] as number[], beside: [] as number[] }
  let [queries, refused] = [0, 0]
  for (let round = 0; round <= rounds; round++)
    for (const kind of ['alone', 'beside'] as const) {
      const burners = kind === 'beside' ? burn(store.address.http) : undefined
      const { tookMs } = await load(farebox.url, await paidCalls(offer, perRound), calls)
      const told = await burners?.stop()
      queries += told?.queries ?? 0
      refused += told?.refused ?? 0
      // The first round only warms up and does not count.
      if (round) found[kind].push(percentile(tookMs, 99))
    }
  await Promise.all([facilitator, farebox].map(child => child.stop()))
  await store.close()
  rmSync(folder, { recursive: true, force: true })

  const [alone, beside] = [median(found.alone), median(found.beside)]
  console.log(`\nPaid calls, ${calls.perSecond} a second, SQLite, beside ${most} analysts\n`)
  console.log('| | p99 (least to most) |\n| --- | ---: |')
  for (const [name, all] of Object.entries(found))
    console.log(
      `| ${name === 'alone' ? 'alone' : `${most} analysts`} | ${median(all).toFixed(1)} ms (${Math.min(...all).toFixed(1)} to ${Math.max(...all).toFixed(1)}) |`,
    )
  console.log(
    `\n${(beside / alone).toFixed(2)} x; ${queries} queries answered, ${refused} refused by a limit`,
  )
}
