/** Reads the archives of an upstream into a log, as the ingest role does, and reports its progress to its parent. */
import { openLog } from '../../pipelines/rails/log/open-log.ts'
import { createOutside } from '../../pipelines/rails/outside/upstreams/open-outside.ts'
import { startSources } from '../../pipelines/sources/runner.ts'
import { bulkFacts, bulkSubmissions } from '../../pipelines/sources/sec/bulk.ts'
import { eventsIn } from '../../schemas/dataset/packed-events.ts'
import { datasets } from '../../schemas/index.ts'
import { secFacts } from '../../schemas/sec-facts.ts'
import { sourceTicks } from '../../schemas/source-ticks.ts'

const [url = '', folder = '', which = 'facts'] = process.argv.slice(2)
const log = await openLog(`sqlite:${folder}/log.db`, { topics: datasets.map(({ topic }) => topic) })
const outside = createOutside({
  at: { SEC_WWW_URL: url, SEC_DATA_URL: url },
  contact: 'tests@example.org',
  now: Date.now,
})
const source = which === 'facts' ? bulkFacts : bulkSubmissions
let finish = () => {}
const finished = new Promise<void>(resolve => {
  finish = resolve
})
let facts = 0
const watching = await log.watch(secFacts.topic, batch => {
  for (const { value } of batch) facts += eventsIn(secFacts, value ?? '').length
  process.send?.({ facts })
})
const ticks = await log.watch(sourceTicks.topic, batch => {
  for (const { value } of batch) {
    const tick = JSON.parse(value ?? '{}')
    process.send?.({ tick: { outcome: tick.outcome, cursor: JSON.parse(tick.cursor), error: tick.error } })
    if (tick.good_at) finish()
  }
})
// The maximum of the kernel includes the memory of the parent at the fork, so this process measures itself.
let mostBytes = 0
const measuring = setInterval(() => {
  mostBytes = Math.max(mostBytes, process.memoryUsage.rss())
}, 20)
const ticking = await startSources([source], {
  needs: { dataDir: folder, tell: line => void process.send?.({ line }) },
  log,
  outside,
  now: Date.now,
  jitterMs: 0,
  checkpointMs: 100,
})
await finished
clearInterval(measuring)
process.send?.({ done: { mostMb: Math.round(mostBytes / 2 ** 20) } })
await ticking.close()
await ticks.close()
await watching.close()
await log.close()
process.disconnect?.()
