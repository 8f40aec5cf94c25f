/** Questions as an analyst asks them, over HTTP and within his limits: what the engine reads, how long he waits, and the memory that it takes. */
import type { Store } from '../../pipelines/rails/store/store.ts'
import { percentile } from './load.ts'

const granule = 8192
const rounds = Number(process.env.BENCH_ROUNDS ?? 7)

interface Told {
  ms: number
  rows: number
  bytes: number
  memory: number
}

export async function ask({ address }: Store, sql: string): Promise<Told> {
  const begun = performance.now()
  const answer = await fetch(`${address.http}/?user=analyst&database=farebox&wait_end_of_query=1`, {
    method: 'POST',
    body: `${sql} format Null`,
  })
  const text = await answer.text()
  const ms = performance.now() - begun
  if (!answer.ok) throw new Error(text)
  const { read_rows, read_bytes, memory_usage } = JSON.parse(
    answer.headers.get('x-clickhouse-summary') ?? '{}',
  )
  return { ms, rows: Number(read_rows), bytes: Number(read_bytes), memory: Number(memory_usage) }
}

export const shown = (ms: number): string =>
  ms < 1000 ? `${ms.toFixed(ms < 20 ? 1 : 0)} ms` : `${(ms / 1000).toFixed(2)} s`
export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`

export const line = (name: string, took: readonly number[]): string => {
  const sorted = took.toSorted((a, b) => a - b)
  return `| ${name} | ${shown(percentile(sorted, 50))} | ${shown(percentile(sorted, 99))} | ${sorted.length} |`
}

/** Asks each of them several times; one that takes longer than ten seconds, once. */
export async function tell(store: Store, questions: Readonly<Record<string, string>>): Promise<void> {
  console.log(
    '\n| question | granules read | bytes read | memory | p50 | slowest |\n|---|---:|---:|---:|---:|---:|',
  )
  for (const [name, sql] of Object.entries(questions)) {
    const all: Told[] = []
    try {
      for (let round = 0; round < rounds && (all[0]?.ms ?? 0) < 10_000; round++)
        all.push(await ask(store, sql))
      const took = all.map(({ ms }) => ms).toSorted((a, b) => a - b)
      const most = (of: keyof Told) => Math.max(...all.map(told => told[of]))
      console.log(
        `| ${name} | ${Math.ceil(most('rows') / granule).toLocaleString('en')} | ${megabytes(most('bytes'))} | ${megabytes(most('memory'))} | ${shown(percentile(took, 50))} | ${shown(most('ms'))} |`,
      )
    } catch (error) {
      console.log(`| ${name} | | | | ${error instanceof Error ? error.message.slice(0, 200) : error} | |`)
    }
  }
}
