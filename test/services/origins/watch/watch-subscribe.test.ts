import { text } from 'node:stream/consumers'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { toParts } from '../../../../pipelines/domains/market/release.ts'
import { type Desk, openDesk } from '../../../../pipelines/domains/watch/desk.ts'
import { Seal } from '../../../../pipelines/domains/watch/seal.ts'
import { bodyIn } from '../../../../pipelines/domains/watch/sealed.ts'
import type { Log } from '../../../../pipelines/rails/log/log.ts'
import { airportEvents } from '../../../../schemas/airport-events.ts'
import type { Dataset } from '../../../../schemas/dataset/dataset.ts'
import { fxBankRates } from '../../../../schemas/fx-bank-rates.ts'
import { type FxDay, fxRates } from '../../../../schemas/fx-rates.ts'
import { marketReleases } from '../../../../schemas/market-weeks.ts'
import { secFilings } from '../../../../schemas/sec-filings.ts'
import { sourceTicks } from '../../../../schemas/source-ticks.ts'
import { instant } from '../../../../schemas/values/values.ts'
import { watchOrders, watchSubscriptions, watchTold } from '../../../../schemas/watch-subscriptions.ts'
import { weatherAlerts } from '../../../../schemas/weather-alerts.ts'
import { webhookEvents } from '../../../../schemas/webhooks.ts'
import type { Tools } from '../../../../services/offer/operation.ts'
import { airportStatus } from '../../../../services/origins/data/airport/airport-status.ts'
import { things } from '../../../../services/origins/watch/own/subjects.ts'
import { watchSubscribe } from '../../../../services/origins/watch/own/watch-subscribe.ts'
import { startWatchedAnswers } from '../../../../services/origins/watch/own/watched-answers.ts'
import { Shelf } from '../../../../services/query/shelf.ts'
import { appendingTo, openTopics, rowsOf, write } from '../../../pipelines/rails/outbox/topics.ts'
import { openWeb, publicAddress } from '../../../pipelines/rails/outside/fetching/web.ts'
import { faaXml, groundStop, poll } from '../../../pipelines/sources/faa-upstream.ts'
import { until } from '../../../until.ts'
import { ask } from '../ask.ts'
import { cik, filing, loadedCompany } from '../data/company/a-company.ts'
import { offer, releaseOf } from '../data/market/a-market.ts'
import type { Loaded } from '../loaded.ts'
import { refusal } from '../refusal.ts'

const web = await openWeb()
web.names.set('hooks.sample', [[publicAddress]])
const start = Date.parse('2026-04-13T16:30:00Z')
const held = [airportEvents, fxRates, marketReleases, sourceTicks]
const webhookUrl = 'http://hooks.sample/x'
const seal = new Seal([`0x${'42'.repeat(32)}`])

let now: number
let log: Log
let shelf: Shelf
let loaded: Loaded
let tools: Tools
let desk: Desk
let hookStatus: number
let told: string[]

beforeEach(async () => {
  now = start
  hookStatus = 204
  told = []
  log = await openTopics(undefined, [...held, secFilings, fxBankRates, weatherAlerts])
  shelf = await Shelf.open(log, held, () => now)
  onTestFinished(() => shelf.close())
  loaded = loadedCompany([filing('10-K', '2025-02-20')])
  web.answer = (request, response) => {
    text(request).then(body => {
      told.push(body)
      response.writeHead(hookStatus).end()
    })
  }
  const watch = { seal, origin: 'https://farebox.example' }
  tools = {
    now: () => now,
    view: (view, asked) => shelf.view(view, asked),
    find: fetched,
    look: loaded.look,
    lookAll: loaded.lookAll,
    ownHosts: new Set(),
    credit: ({ credit }, said = credit) => said,
    isSample: () => false,
    watched: new Map(),
    use: () => desk as never,
  }
  desk = openDesk({ log, visits: web.fetch(), watch, nodes: new Map(), now: () => now })
  await airport(groundStop('SFO'))
  await write(log, fxRates, day('2026-04-10', '1.1000'))
  await release([offer('a.dev', '/x', { calls: '900' }), offer('b.dev', '/x', { calls: '50' })])
  await until(() => shelf.view(fxRates.views[0] as never, { date: '2026-04-10' }).size === 1)
})

/** All facts of EDGAR are loaded already. */
const fetched: Tools['find'] = async () => ({}) as never

const day = (date: string, USD: string): FxDay => ({ day: date, rates: { USD } })

async function airport(...events: string[]) {
  const at = instant(now)
  const { states } = await poll(faaXml(at, ...events), at, undefined)
  await write(log, airportEvents, ...states)
  await write(log, sourceTicks, {
    ...{
      source: 'faa',
      at,
      outcome: 'changed',
      events: 1,
      took_ms: 1,
      error: null,
      good_at: at,
      cursor: 'null',
    },
  })
}

async function release(offers: Parameters<typeof releaseOf>[0]): Promise<void> {
  const made = releaseOf(offers)
  await write(
    log,
    marketReleases,
    ...toParts(JSON.stringify(made), { week: made.week, builtAt: instant(now) }),
  )
}

const asking = () => ({ shelf, now: () => now, find: fetched, looked: loaded, watching: desk })
const asked = (question: object) => ask(watchSubscribe, { webhookUrl, ...question }, asking())
const refused = (question: object) => refusal(watchSubscribe, { webhookUrl, ...question }, asking())

async function subscribed(question: object): Promise<string> {
  const { subscription_id } = await asked(question)
  const order = (await rowsOf(log, watchOrders)).find(each => each.subscription_id === subscription_id)
  if (order?.subscription) await write(log, watchSubscriptions, order.subscription)
  return subscription_id
}

async function open() {
  const failed: unknown[] = []
  const watching = await startWatchedAnswers({
    log,
    tools,
    seal,
    now: () => now,
    onFailed: error => failed.push(error),
  })
  onTestFinished(async () => {
    await watching.close()
    expect(failed).toEqual([])
  })
  return watching
}
const events = async () =>
  (await rowsOf(log, webhookEvents)).map(row => ({ ...row, ...JSON.parse(bodyIn(row, seal)) }))

describe('/watch/subscribe', () => {
  test('shows the current answer, and waits for its payment', async () => {
    const answer = await asked({ what: 'airport', question: { airport: 'KSFO' } })
    expect(answer).toMatchObject({
      what: 'airport',
      event: 'airport.status_changed',
      expires_at: instant(start + 30 * 86_400_000),
      told: { status: 'stopped_or_closed', events: [{ type: 'ground_stop' }] },
      answer: { airport: 'SFO', status: 'stopped_or_closed' },
    })
    expect(told.map(body => JSON.parse(body).type)).toEqual(['endpoint.test'])
    expect(await rowsOf(log, watchSubscriptions)).toEqual([])
    expect(await rowsOf(log, watchOrders)).toMatchObject([
      { order: 'begin', subscription: { what: 'airport' } },
    ])
  })

  test('refuses for free what it cannot watch', async () => {
    const currency = { what: 'currency', question: { from: 'EUR', to: 'USD' } }
    expect(await refused({ ...currency })).toMatchObject({ error: 'invalid_question', status: 400 })
    expect(await refused({ ...currency, above: 1, below: 2 })).toMatchObject({
      error: 'invalid_question',
      message: expect.stringContaining('`below` is more than `above`'),
    })
    expect(await refused({ what: 'airport', question: { airport: 'SFO' }, above: 1 })).toMatchObject({
      error: 'invalid_question',
      message: expect.stringContaining('for currency alone'),
    })
    expect(await refused({ what: 'airport', question: { town: 'SFO' } })).toMatchObject({
      error: 'invalid_question',
      message: expect.stringMatching(/^\/airport\/status does not take it: .*"town"/),
    })
    expect(await refused({ what: 'airport', question: { airport: 'ZZZZ' } })).toMatchObject({
      error: 'no_answer',
      message: expect.stringContaining('unknown_airport'),
    })
    for (const bad of ['http://10.0.0.1/', 'http://plain.example.com/', 'x'])
      expect(await refused({ ...currency, above: 1, webhookUrl: bad })).toMatchObject({
        error: 'invalid_webhook',
      })
    hookStatus = 404
    expect(await refused({ ...currency, above: 1 })).toMatchObject({ error: 'webhook_unreachable' })
    expect(await rowsOf(log, watchOrders)).toEqual([])
    expect(web.strays).toBe(0)
  })
})

describe('a subscriber hears', () => {
  test('of an airport whose status changes, with the answer as it is sold', async () => {
    const subscription_id = await subscribed({ what: 'airport', question: { airport: 'SFO' } })
    await open()
    now += 60_000
    await airport()
    await until(async () => (await events()).length === 1, 'the event')
    expect(await events()).toMatchObject([
      {
        subscription_id,
        type: 'airport.status_changed',
        data: {
          what: 'airport',
          question: { airport: 'SFO' },
          before: { status: 'stopped_or_closed' },
          after: { status: 'normal', events: [] },
          answer: { airport: 'SFO', status: 'normal', events: [] },
        },
      },
    ])
  })

  test('while the log keeps its question sealed', async () => {
    await subscribed({ what: 'airport', question: { airport: 'KSFO' } })
    await open()
    now += 60_000
    await airport()
    await until(async () => (await events()).length === 1, 'the event')
    expect(await events()).toMatchObject([{ data: { question: { airport: 'KSFO' } } }])
    for (const dataset of [watchOrders, watchSubscriptions, watchTold, webhookEvents]) {
      const written = JSON.stringify(await rowsOf(log, dataset as Dataset))
      expect(written).toContain('sub_')
      expect(written).not.toMatch(/question|KSFO/)
    }
  })

  test('nothing more, and says so once, if the key that sealed its question is gone', async () => {
    await subscribed({ what: 'airport', question: { airport: 'SFO' } })
    const failed: unknown[] = []
    const onFailed = (error: unknown) => failed.push(error)
    const other = new Seal([`0x${'43'.repeat(32)}`])
    const watching = await startWatchedAnswers({ log, tools, seal: other, now: () => now, onFailed })
    onTestFinished(() => watching.close())
    now += 60_000
    await airport()
    await watching.look()
    await watching.look()
    expect(failed).toMatchObject([
      { name: 'KeyGone', message: expect.stringContaining('the question of sub_') },
    ])
    expect(await rowsOf(log, webhookEvents)).toEqual([])
  })

  test('of a currency pair that crosses its threshold, and of none that stays on one side', async () => {
    const question = { from: 'EUR', to: 'USD' }
    const crossing = await subscribed({ what: 'currency', question, above: 1.15 })
    await subscribed({ what: 'currency', question, above: 2, below: 1 })
    await open()
    await write(log, fxRates, day('2026-04-13', '1.1684'))
    await until(async () => (await events()).length === 1, 'the event')
    expect(await events()).toMatchObject([
      {
        subscription_id: crossing,
        type: 'currency.crossed',
        data: { above: 1.15, before: { side: 'within' }, after: { side: 'above' }, answer: { rate: 1.1684 } },
      },
    ])
  })

  test('of a new filing of a company, when a fact of this company comes', async () => {
    await subscribed({ what: 'filing', question: { cik, form: '8-K', limit: 1 } })
    await open()
    loaded.put(secFilings, [filing('8-K', '2025-06-29')])
    await log.append(secFilings.topic, [{ key: String(cik), value: '{}' }])
    await until(async () => (await events()).length === 1, 'the event')
    expect(await events()).toMatchObject([
      {
        type: 'company.filed',
        data: { before: { newest: null }, answer: { recent_filings: [{ form: '8-K' }] } },
      },
    ])
  })

  test('of a new rank of a seller', async () => {
    await subscribed({ what: 'seller', question: { host: 'b.dev' } })
    await open()
    now += 60_000
    await release([offer('a.dev', '/x', { calls: '90' }), offer('b.dev', '/x', { calls: '500' })])
    await until(async () => (await events()).length === 1, 'the event')
    expect(await events()).toMatchObject([
      { type: 'seller.rank_changed', data: { before: { rank: 2 }, after: { rank: 1 }, answer: { rank: 1 } } },
    ])
  })

  test('of a change that happened while nobody looked, with the same id after a crash', async () => {
    await subscribed({ what: 'airport', question: { airport: 'SFO' } })
    now += 60_000
    await airport()
    await until(async () => (await ask(airportStatus, { airport: 'SFO' }, asking())).status === 'normal')
    // The crash comes after the event, before the record of the report.
    const crashing = appendingTo(log, async (topic, entries) => {
      if (topic.name === watchTold.topic.name) throw new Error('the power is gone')
      await log.append(topic, entries)
    })
    const failed: unknown[] = []
    const onFailed = (error: unknown) => failed.push(error)
    const first = await startWatchedAnswers({ log: crashing, tools, seal, now: () => now, onFailed })
    await until(() => failed.length === 1, 'the crash')
    await first.close()
    now += 60_000
    await airport()
    await open()
    await until(async () => (await rowsOf(log, watchTold)).length === 2, 'what is told')
    const ids = (await events()).map(({ event_id }) => event_id)
    expect(ids).toHaveLength(2)
    expect(new Set(ids).size).toBe(1)
  })

  test('nothing while the answer stays the same', async () => {
    await subscribed({ what: 'airport', question: { airport: 'JFK' } })
    const { look } = await open()
    await airport(groundStop('BOS'))
    await look()
    expect(await events()).toEqual([])
  })
})

test('each thing reports the part of its answer that matters', () => {
  const filings = (accession?: string) => ({ cik: 320193, recent_filings: accession ? [{ accession }] : [] })
  expect(things.filing.told(filings('0000320193-26-000001'), {})).toEqual({ newest: '0000320193-26-000001' })
  expect(things.filing.told(filings(), {})).toEqual({ newest: null })
  expect(things.filing.keyOf?.(filings())).toBe('320193')
  const alerts = [
    { event: 'Wind Advisory', severity: 'Minor', headline: 'one', expires: '', ends: null },
    { event: 'Flood Warning', severity: 'Severe', headline: 'two', expires: '', ends: null },
  ]
  expect(things.alert.told({ alerts }, {})).toEqual({
    alerts: ['Flood Warning, Severe', 'Wind Advisory, Minor'],
  })
  expect(things.alert.told({ alerts: alerts.toReversed() }, {})).toEqual(things.alert.told({ alerts }, {}))
  for (const [rate, side] of [
    [0.9, 'below'],
    [1, 'within'],
    [2, 'within'],
    [2.1, 'above'],
  ] as const)
    expect(things.currency.told({ rate }, { above: 2, below: 1 })).toEqual({ side })
})
