/** Farebox itself: the real server, till, shelf and SQLite log. It has no store, because a sale needs none. */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { startLookups } from '../../../pipelines/lookups/runner.ts'
import { openBlobs } from '../../../pipelines/rails/blobs/open-blobs.ts'
import { openLog } from '../../../pipelines/rails/log/open-log.ts'
import { fxRates } from '../../../schemas/fx-rates.ts'
import { datasets } from '../../../schemas/index.ts'
import { berlin } from '../../../schemas/tables/target-calendar.ts'
import type { OpenOrigin } from '../../../services/offer/origin.ts'
import { fx } from '../../../services/origins/data/fx/fx.ts'
import { data } from '../../../services/origins/data/origin.ts'
import { Callers } from '../../../services/query/callers.ts'
import { Door } from '../../../services/query/door/door.ts'
import { buildServer } from '../../../services/query/server.ts'
import { Shelf } from '../../../services/query/shelf.ts'
import { originOf } from '../../../services/sell/origin.ts'
import { openTill } from '../../../services/till/open-till.ts'
import { payTo, serving, tidePath } from './serving.ts'

const folder = mkdtempSync(join(tmpdir(), 'farebox-bench-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

/** `BENCH_LOG`: an empty cluster in place of the file. */
const at = process.env.BENCH_LOG ?? `sqlite:${folder}/log.db`
const log = await openLog(at, { topics: datasets.map(({ topic }) => topic) })
const shelf = new Shelf(Date.now)
await shelf.stock(log, datasets)
const day = { day: berlin(Date.now()).day, rates: { USD: '1.1684', JPY: '186.75' } }
shelf.take(fxRates, [{ key: day.day, value: JSON.stringify(day), partition: 0, offset: 0n, at: 0 }])

/** With an upstream, a file sells it beside the held answer. */
const [, , facilitator = '', upstream] = process.argv
const tides = upstream ? [fileOf(upstream)] : []
const origins = [{ ...data, url: 'http://127.0.0.1', operations: [fx] }, ...tides]
const finder = await startLookups(
  tides.flatMap(({ lookups = [] }) => lookups),
  {
    needsOf: lookup => lookup.needs?.({ now: Date.now } as never),
    outside: signal => ({ signal, now: Date.now }) as never,
    now: Date.now,
  },
)
const till = await openTill({
  origins,
  log,
  blobs: await openBlobs(`file:${folder}/blobs`),
  now: Date.now,
  onError: console.error,
  config: {
    facilitators: [{ url: facilitator }],
    payTo: [{ name: 'base', address: payTo }],
    rpcUrls: { base: [`${facilitator}/chain`] },
  },
})
const app = buildServer({
  pages: [],
  origins,
  counter: {
    till,
    callers: Callers.open(1e9, Date.now),
    door: new Door(Date.now),
    tools: {
      now: Date.now,
      view: (view, asked) => shelf.view(view, asked),
      find: finder.find,
      look: async () => undefined,
      lookAll: async () => [],
      ownHosts: new Set(),
      credit: ({ credit }, text = credit) => text,
      isSample: () => false,
      watched: new Map(),
      use: () => undefined as never,
    },
  },
  now: Date.now,
  trustProxy: false,
  logger: pino({ level: 'silent' }),
})
function fileOf(url: string): OpenOrigin {
  const text = `origin: tides
title: Tide tables
operations:
  ${tidePath}:
    title: The tide at a station
    price: 0.002
    question: { station: { type: string, pattern: '^[0-9]{7}$' } }
    from: { http: '${url}/v2/{station}' }
    example: { question: { station: '9414290' } }
`
  const none = new Set<string>()
  const beside = (name: string): never => {
    throw new Error(name)
  }
  const { origin, faults } = originOf(text, {
    ...{ file: 'sold.yaml', set: {}, asks: true, isOurs: () => false, placeOf: beside, beside },
    ...{ origins: none, paths: none, tools: none, ids: none },
  })
  if (!origin) throw new Error(JSON.stringify(faults))
  return { ...origin, url: 'http://127.0.0.1' }
}

const files = ['log.db', 'log.db-wal']
const sizeOf = (name: string) => statSync(`${folder}/${name}`, { throwIfNoEntry: false })?.size ?? 0
serving(await app.listen({ host: '127.0.0.1', port: 0 }), () =>
  files.reduce((sum, name) => sum + sizeOf(name), 0),
)
