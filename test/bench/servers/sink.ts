/** One sink of a group, as the role `sink` runs it: a process with a log, a store and nothing else. */
import { openLog } from '../../../pipelines/rails/log/open-log.ts'
import { openStore } from '../../../pipelines/rails/store/open-store.ts'
import { startSink } from '../../../pipelines/workers/sink.ts'
import { chainPayments } from '../../../schemas/chain-payments.ts'
import type { Dataset } from '../../../schemas/dataset/dataset.ts'
import { rejects } from '../../../schemas/rejects.ts'
import { serving } from './serving.ts'

const [logUrl, storeUrl] = process.argv.slice(2) as [string, string]
const dataset = chainPayments as unknown as Dataset
const log = await openLog(logUrl, { topics: [dataset.topic, rejects.topic] })
const store = await openStore(storeUrl)
const sink = await startSink({ log, store, dataset, now: Date.now, onProblem: error => console.error(error) })
sink.ended.catch(error => {
  console.error(error)
  process.exit(1)
})
serving('')
