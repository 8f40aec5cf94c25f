/** Every check of the data at volume: what each question of it takes, and the memory of the engine meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '../../pipelines/rails/store/store.ts'
import { DataChecking } from '../../pipelines/workers/data-checks.ts'
import { datasets } from '../../schemas/index.ts'
import { megabytes, shown } from './asked.ts'

/** Watches the queries that run, and keeps the most memory that one of them has taken. */
function watching(store: Store): { most(): Promise<number> } {
  let [most, isOver] = [0, false]
  const looking = (async () => {
    for (; !isOver; await sleep(50)) {
      const [now] = await store.query<{ peak: string }>(
        "select toString(max(peak_memory_usage)) as peak from system.processes where query not like '%system.processes%' and query_kind != 'Insert' or query like '%payer_%'",
      )
      most = Math.max(most, Number(now?.peak ?? 0))
    }
  })()
  return {
    async most() {
      isOver = true
      await looking
      return most
    },
  }
}

export async function everyCheck(store: Store, only = datasets.map(({ name }) => name)): Promise<void> {
  const told: { dataset: string; check: string; passed: boolean; detail: string }[] = []
  const append = async (_topic: unknown, entries: readonly { value: string }[]) => {
    for (const { value } of entries) told.push(JSON.parse(value))
    return []
  }
  const measured = <Args extends unknown[], Answer>(of: (...args: Args) => Promise<Answer>) => {
    return async (...args: Args): Promise<Answer> => {
      const begun = performance.now()
      const memory = watching(store)
      try {
        return await of(...args)
      } finally {
        took.push([performance.now() - begun, await memory.most()])
      }
    }
  }
  let took: [ms: number, memory: number][] = []
  console.log('\n| check | took | most memory | passed |\n|---|---:|---:|---|')
  const checking = new DataChecking({
    store: {
      examine: measured(sql => store.examine(sql)) as Store['examine'],
      keepOne: measured(dataset => store.keepOne(dataset)),
      loads: () => store.loads(),
      newest: dataset => store.newest(dataset),
    },
    log: { append } as never,
    now: Date.now,
    onFailed: error => console.log(error),
  })
  for (const dataset of datasets.filter(
    ({ audience, name }) => audience === 'analysts' && only.includes(name),
  )) {
    told.length = 0
    took = []
    await checking.round([dataset])
    // The first check asks for the facts before, keeps one row of each key, and counts.
    for (const [nth, { check, passed, detail }] of told.entries()) {
      const [ms, memory] = nth === 0 ? sum(took.slice(0, 3)) : (took[nth + 2] ?? [0, 0])
      console.log(
        `| ${dataset.name}: ${check} | ${shown(ms)} | ${megabytes(memory)} | ${passed ? 'yes' : detail.slice(0, 200)} |`,
      )
    }
  }
}

const sum = (all: readonly [number, number][]): [number, number] => [
  all.reduce((sum, [ms]) => sum + ms, 0),
  Math.max(...all.map(([, memory]) => memory)),
]
