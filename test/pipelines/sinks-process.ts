/** A sink of a group on Kafka, in a process that tests kill and freeze. It tells what its memory holds. */
import { openKafkaLog } from '../../pipelines/rails/log/kafka-log.ts'
import { openStore } from '../../pipelines/rails/store/open-store.ts'
import { startSink } from '../../pipelines/workers/sink.ts'
import type { Dataset } from '../../schemas/dataset/dataset.ts'
import { rejects } from '../../schemas/rejects.ts'
import { visitsOf } from './visits.ts'

const [brokers, storeUrl, name] = process.argv.slice(2) as [string, string, string]
const dataset = visitsOf(name)
/** A member that is silent for longer is out. Brokers allow no less. */
const sessionMs = 6000
const topics = [dataset.topic, (rejects as unknown as Dataset).topic]
const log = await openKafkaLog(brokers.split(','), { topics, sessionMs })
const store = await openStore(storeUrl)
let [rows, tries] = [0, 0]
const sink = await startSink({
  log,
  store: {
    insert: async (of, given) => {
      await store.insert(of, given)
      rows += given.length
    },
    newest: of => store.newest(of),
  },
  dataset,
  now: Date.now,
  onProblem: () => {
    tries++
  },
})
process.on('message', async question => {
  if (question !== 'leave') return process.send?.({ rows, tries, rss: process.memoryUsage().rss })
  await sink.close()
  await log.close()
  process.exit(0)
})
process.on('disconnect', () => process.exit(1))
process.send?.('ready')
