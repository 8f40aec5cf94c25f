/** Serves /weather from memory, and the same bytes from a bare route, in one process. */
import Fastify from 'fastify'
import { forecastLookup, placeLookup } from '../../../pipelines/lookups/forecast.ts'
import type { Lookup } from '../../../pipelines/lookups/lookup.ts'
import { startLookups } from '../../../pipelines/lookups/runner.ts'
import { weather } from '../../../services/origins/data/weather/weather.ts'
import { Shelf } from '../../../services/query/shelf.ts'
import { askText, polled } from '../../services/origins/ask.ts'
import { SimulatedTime, SimulatedUpstreams } from '../../simulated.ts'
import { forgetfulLog } from '../forgetful-log.ts'
import { hundredsOfAlerts } from '../weather-questions.ts'
import { serving } from './serving.ts'

const time = new SimulatedTime(Date.parse('2026-11-21T12:00:00Z'))
const { now } = time
const shelf = new Shelf(now)
polled(shelf, 'alerts', now())
hundredsOfAlerts(shelf)
const { outside } = new SimulatedUpstreams(time)
const lookups = [placeLookup, forecastLookup] as readonly unknown[] as readonly Lookup[]
const finder = await startLookups(lookups, {
  outside,
  now,
  waiting: time,
  log: forgetfulLog().log,
})
const asking = { shelf, now, find: finder.find }
const body = await askText(weather, { lat: 38.8894, lon: -77.0352 }, asking)

const app = Fastify()
const json = 'application/json; charset=utf-8'
app.post('/bare', (_request, reply) => reply.type(json).send(body))
app.post('/weather', async (request, reply) =>
  reply.type(json).send(await askText(weather, request.body, asking)),
)
serving(await app.listen({ port: 0 }))
