/** A process with a log, a store and a sink, which tests kill. With `stall` it hangs after an insert. */
import { openLog } from '../../pipelines/rails/log/open-log.ts'
import { openStore } from '../../pipelines/rails/store/open-store.ts'
import type { Store } from '../../pipelines/rails/store/store.ts'
import { startSink } from '../../pipelines/workers/sink.ts'
import type { Dataset } from '../../schemas/dataset/dataset.ts'
import { rejects } from '../../schemas/rejects.ts'
import { until } from '../until.ts'
import { visits } from './visits.ts'

const [folder, mode] = process.argv.slice(2)
const datasets = [visits, rejects as unknown as Dataset]
const log = await openLog(`sqlite:${folder}/log.db`, { topics: datasets.map(({ topic }) => topic) })
const store = await openStore(`embedded:${folder}/store`)
await store.apply(datasets)

const insert: Store['insert'] = async (...given) => {
  await store.insert(...given)
  if (mode !== 'stall') return
  console.log('inserted')
  await new Promise(() => {})
}
const sink = await startSink({
  log,
  store: { insert, newest: dataset => store.newest(dataset) },
  dataset: visits,
  now: () => Date.now(),
  onProblem: () => {},
})
await until(async () => (await log.lag(visits.topic, 'sink')) === 0, 'the end of the topic')
const [counts] = await store.query(
  'select count() as rows, uniqExact(id) as ids, sum(seats) as seats from visits',
)
console.log(JSON.stringify(counts))
await sink.close()
await store.close()
await log.close()
