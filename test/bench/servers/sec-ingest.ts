/**
 * Reads EDGAR's archives as one service does, with sources, log, sinks and the store. It ends when everything is
 * stored.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { openLog } from '../../../pipelines/rails/log/open-log.ts'
import { createOutside } from '../../../pipelines/rails/outside/upstreams/open-outside.ts'
import { openStore } from '../../../pipelines/rails/store/open-store.ts'
import { startSources } from '../../../pipelines/sources/runner.ts'
import { bulkFacts, bulkSubmissions } from '../../../pipelines/sources/sec/bulk.ts'
import { startSink } from '../../../pipelines/workers/sink.ts'
import { datasets } from '../../../schemas/index.ts'
import { sourceTicks } from '../../../schemas/source-ticks.ts'

const run = promisify(execFile)
const [url = '', folder = ''] = process.argv.slice(2)
const stored = datasets.filter(({ name, audience }) => audience !== 'log' && /^sec_|^rejects$/.test(name))
const fail = (what: string) => (error: unknown) => console.error(what, error)
const log = await openLog(`sqlite:${folder}/log.db`, { topics: datasets.map(({ topic }) => topic) })
const store = await openStore(`embedded:${folder}/store`)
await store.apply(stored)
const sinks = await Promise.all(
  stored.map(dataset => startSink({ log, store, dataset, now: Date.now, onProblem: fail('sink') })),
)
/** The engine is the only child that lives longer than a look at it. */
async function engine(): Promise<{ mb: number; cpuSeconds: number }> {
  const { stdout } = await run('ps', ['-o', 'rss=,cputimes=', '--ppid', String(process.pid)])
  const children = stdout
    .trim()
    .split('\n')
    .map(line => line.trim().split(/\s+/).map(Number))
  return {
    mb: Math.max(...children.map(([kb = 0]) => kb / 1024)),
    cpuSeconds: Math.max(...children.map(([, seconds = 0]) => seconds)),
  }
}
let engineMb = 0
const measuring = setInterval(async () => {
  engineMb = Math.max(engineMb, (await engine()).mb)
}, 10_000)
/** How long other work in this process, such as a paid call, had to wait. */
const delays: number[] = []
let serviceMb = 0
let due = performance.now() + 20
const beating = setInterval(() => {
  serviceMb = Math.max(serviceMb, process.memoryUsage.rss() / 2 ** 20)
  delays.push(Math.max(0, performance.now() - due))
  due = performance.now() + 20
}, 20)

const begun = performance.now()
const cpuBegun = {
  service: process.cpuUsage(),
  thread: process.threadCpuUsage(),
  engine: (await engine()).cpuSeconds,
}
const open = new Set(['sec_facts', 'sec_submissions'])
const ended = Promise.withResolvers<void>()
const ticks = await log.watch(sourceTicks.topic, batch => {
  for (const { key, value } of batch) if (JSON.parse(value ?? '{}').good_at) open.delete(key)
  if (open.size === 0) ended.resolve()
})
const outside = createOutside({
  at: { SEC_WWW_URL: url, SEC_DATA_URL: url },
  contact: 'bench@example.org',
  now: Date.now,
})
const ticking = await startSources([bulkFacts, bulkSubmissions], {
  needs: { dataDir: folder, tell: line => console.log(`  ${line}`) },
  log,
  outside,
  now: Date.now,
  jitterMs: 0,
  onFailed: fail('source'),
})
await ended.promise
const readMs = performance.now() - begun
for (const { topic } of stored)
  while ((await log.lag(topic, 'sink')) > 0) await new Promise(resolve => setTimeout(resolve, 50))
const storedMs = performance.now() - begun
const secondsOf = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1e6
const cpuSeconds = {
  service: secondsOf(process.cpuUsage(cpuBegun.service)),
  thread: secondsOf(process.threadCpuUsage(cpuBegun.thread)),
  engine: (await engine()).cpuSeconds - cpuBegun.engine,
}
clearInterval(measuring)
clearInterval(beating)
const [rows] = await store.query<{ facts: number; filings: number; companies: number; bytes: number }>(
  `select toUInt32((select count() from sec_facts)) as facts, toUInt32((select count() from sec_filings)) as filings,
   toUInt32((select count() from sec_companies)) as companies,
   toFloat64((select sum(bytes_on_disk) from system.parts where active and table = 'sec_facts')) as bytes`,
)
delays.sort((a, b) => a - b)
process.send?.({
  readMs,
  storedMs,
  rows,
  serviceMb,
  engineMb,
  cpuSeconds,
  delayMs: { p50: delays[delays.length >> 1], p99: delays[Math.floor(delays.length * 0.99)] },
})
await ticking.close()
await ticks.close()
for (const sink of sinks) await sink.close()
await store.close()
await log.close()
process.disconnect?.()
