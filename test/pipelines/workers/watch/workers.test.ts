/** Subscriptions from their payment to the webhook. Tests move the clock, and never sleep. */
import { createHash, randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Rhythm } from '../../../../pipelines/domains/watch/rounds.ts'
import { Seal } from '../../../../pipelines/domains/watch/seal.ts'
import { rowOf } from '../../../../pipelines/domains/watch/url.ts'
import type { Log } from '../../../../pipelines/rails/log/log.ts'
import { startDelivering, startWatching } from '../../../../pipelines/workers/watch/workers.ts'
import { endpointChecks } from '../../../../schemas/endpoint-checks.ts'
import { endpointChanges, endpointStates } from '../../../../schemas/endpoint-states.ts'
import { type SettlementEvent, settlements } from '../../../../schemas/settlements.ts'
import { instant } from '../../../../schemas/values/values.ts'
import { type WatchOrder, watchOrders, watchSubscriptions } from '../../../../schemas/watch-subscriptions.ts'
import { webhookDeliveries, webhookEvents } from '../../../../schemas/webhooks.ts'
import { accept, answeringWith, payee, quoting } from '../../../services/origins/watch/sellers.ts'
import { until } from '../../../until.ts'
import { appendingTo, openTopics, rowsOf, write } from '../../rails/outbox/topics.ts'
import { openWeb, publicAddress } from '../../rails/outside/fetching/web.ts'

const web = await openWeb()
const start = Date.parse('2026-11-16T09:00:00Z')
const dayMs = 86_400_000
const minuteMs = 60_000
const slotMs = 15 * minuteMs
const watch = { seal: new Seal([`0x${'42'.repeat(32)}`]), origin: 'https://farebox.example' }
const sha256 = (said: string) => createHash('sha256').update(said).digest('hex')

interface Told {
  id: string
  type: string
  sequence: number
  data: Record<string, never>
}

let now = start

async function open(given?: Log, rhythm?: Rhythm, seal = watch.seal) {
  const log = given ?? (await openTopics())
  if (!given) now = start
  const told: Told[] = []
  const world = { seller: quoting() }
  web.names.set('hooks.sample', [[publicAddress]])
  web.answer = (request, response) => {
    if (request.headers.host !== 'hooks.sample') return world.seller(request, response)
    text(request).then(body => {
      told.push({ id: request.headers['webhook-id'] as string, ...JSON.parse(body) })
      response.writeHead(204).end()
    })
  }
  const failed: unknown[] = []
  const needs = {
    log,
    visits: web.fetch(),
    now: () => now,
    onFailed: (name: string, error: unknown) => failed.push([name, error]),
  }
  const watching = await startWatching(needs, { ...watch, seal, rhythm })
  const delivering = await startDelivering(needs, { ...watch, seal })
  let closing: Promise<unknown> | undefined
  const close = () => (closing ??= Promise.all([watching.close(), delivering.close()]))
  onTestFinished(async () => {
    await close()
  })

  /** Orders a subscription, and settles its payment. */
  async function subscribe(url: string, more: Partial<WatchOrder> = {}): Promise<string> {
    const subscription_id = `sub_${sha256(url).slice(0, 10)}`
    const answer_sha256 = sha256(randomUUID())
    await write(log, watchOrders, {
      order_id: randomUUID(),
      order: 'begin',
      subscription_id,
      at: instant(now),
      nonce: randomUUID(),
      answer_sha256,
      subscription: {
        subscription_id,
        what: 'endpoint',
        subject: url,
        method: 'GET',
        body: '',
        network: 'eip155:8453',
        payee,
        origin: watch.origin,
        webhook_url: 'http://hooks.sample/x',
        secrets: [{ sealed: watch.seal.hide(Buffer.alloc(32, 1), subscription_id), until: null }],
        started_at: instant(now),
        expires_at: instant(now + 30 * dayMs),
        reminded: 'nothing',
        orders: [],
      },
      baseline: {
        ...rowOf(url),
        at: instant(now),
        verdict: 'good',
        problem: null,
        status: 402,
        latency_ms: 9,
        price_usd: '0.01',
        offers: [offered()],
        again: false,
      },
      ...more,
    })
    await write(log, settlements, settled(answer_sha256))
    return subscription_id
  }

  /** Moves the clock over the slots of this time, and waits for all results. */
  async function pass(ms: number, stepMs = slotMs): Promise<void> {
    for (const end = now + ms; now < end; ) {
      now = Math.min(now + stepMs, end)
      watching.round()
      await watching.idle()
      await judged(log)
    }
  }
  return { log, told, world, failed, subscribe, pass, watching, close }
}

/** Resolves when every check in the log was judged. */
async function judged(log: Log): Promise<void> {
  await until(async () => (await log.lag(endpointChecks.topic, 'judge')) === 0, 'the judge')
}

const offered = (amount = '10000', pay_to = payee) => ({
  scheme: 'exact',
  network: 'eip155:8453',
  asset: accept().asset.toLowerCase(),
  amount,
  pay_to,
})

const settled = (answer_sha256: string, more: Partial<SettlementEvent> = {}): SettlementEvent => ({
  spend_id: sha256(randomUUID()),
  state: 'settled',
  at: instant(now),
  request_id: randomUUID(),
  origin: 'watch',
  operation: 'weighSubscribe',
  network: 'base',
  amount_usdc: '5',
  payer: payee,
  pay_to: payee,
  payment_tx: '0x1',
  payment_position: null,
  question_sha256: sha256('question'),
  answer_sha256,
  resolved: false,
  reason: null,
  ...more,
})

const begun = (log: Log, many = 1) =>
  until(async () => (await rowsOf(log, watchSubscriptions)).length >= many, 'the subscription')
const typesOf = (told: readonly Told[]) => told.map(({ type }) => type)

describe('a subscription', () => {
  test('begins when its payment is settled, and reports an outage and its end', async () => {
    const { log, told, world, subscribe, pass, failed } = await open()
    const url = 'http://shop.sample/fx?key=7'
    const subscription_id = await subscribe(url)
    await begun(log)
    await judged(log)
    await pass(2 * slotMs)
    expect(told).toEqual([])
    world.seller = answeringWith(500)
    await pass(slotMs)
    await pass(30_000, 1000)
    await until(() => told.length === 1, 'the outage to be told')
    expect(told[0]).toMatchObject({
      id: expect.stringMatching(/^msg_/),
      type: 'endpoint.down',
      data: {
        url,
        subscription_id,
        before: { state: 'up' },
        after: { state: 'down', problem: 'server_error' },
        evidence: [{ problem: 'server_error' }, { problem: 'server_error', status: 500 }],
        status_url: `https://farebox.example/weigh/status?url=${encodeURIComponent(url)}`,
      },
    })
    world.seller = quoting()
    await pass(slotMs)
    await until(() => told.length === 2, 'the recovery to be told')
    expect(typesOf(told)).toEqual(['endpoint.down', 'endpoint.recovered'])
    expect(told[1]?.sequence).toBeGreaterThan(told[0]?.sequence ?? Number.NaN)
    expect(await rowsOf(log, endpointChanges)).toHaveLength(2)
    const checks = await rowsOf(log, endpointChecks)
    expect(JSON.stringify(checks)).not.toContain('key=7')
    expect(failed).toEqual([])
  })

  test('reports another payee at once, with both quotes', async () => {
    const { log, told, world, subscribe, pass } = await open()
    await subscribe('http://shop.sample/payee')
    await begun(log)
    await judged(log)
    const thief = `0x${'99'.repeat(20)}`
    world.seller = quoting([accept({ payTo: thief })])
    await pass(slotMs)
    await until(() => told.length === 1, 'the payee to be told')
    expect(told[0]).toMatchObject({
      type: 'endpoint.payee_changed',
      data: {
        before: { offers: [{ pay_to: payee }] },
        after: { offers: [{ pay_to: thief }] },
        evidence: [{ offers: [{ pay_to: thief }] }, { offers: [{ pay_to: thief }] }],
      },
    })
    const checks = await rowsOf(log, endpointChecks)
    expect(checks.filter(({ again }) => again)).toHaveLength(1)
  })

  test('numbers the events of one moment, and each number stays the same', async () => {
    const { log, told, world, subscribe, pass } = await open()
    await subscribe('http://shop.sample/numbered')
    await begun(log)
    await judged(log)
    world.seller = quoting([accept({ payTo: `0x${'98'.repeat(20)}`, amount: '20000' })])
    await pass(slotMs)
    await until(() => told.length === 2, 'both changes to be told')
    const numbers = new Map(told.map(({ type, sequence }) => [type, sequence]))
    const at = numbers.get('endpoint.payee_changed') ?? Number.NaN
    expect(numbers.get('endpoint.price_changed')).toBe(at + 1)
    expect(at).toBe((now + 1) * 100)
  })

  test('does not begin without its payment, or with a payment for something else', async () => {
    const { log, subscribe, watching } = await open()
    await write(log, settlements, settled(sha256('nothing')))
    const id = await subscribe('http://shop.sample/unpaid', { answer_sha256: sha256('unpaid') })
    await write(log, settlements, settled(sha256('unpaid'), { state: 'failed' }))
    await write(log, settlements, settled(sha256('unpaid'), { origin: 'data' }))
    const paid = await subscribe('http://shop.sample/paid')
    await begun(log)
    expect((await rowsOf(log, watchSubscriptions)).map(({ subscription_id }) => subscription_id)).toEqual([
      paid,
    ])
    expect(id).not.toBe(paid)
    watching.round()
  })

  test('is prolonged by a second purchase, but only once if the log brings that purchase twice', async () => {
    const { log, subscribe, close } = await open()
    const url = 'http://shop.sample/twice'
    await subscribe(url)
    await begun(log)
    now += 10 * dayMs
    await subscribe(url)
    await begun(log, 2)
    const [order] = await rowsOf(log, watchOrders)
    await write(log, settlements, settled(order?.answer_sha256 ?? ''))
    await close()
    const again = await open(log)
    await again.subscribe('http://shop.sample/other')
    await begun(log, 3)
    const rows = (await rowsOf(log, watchSubscriptions)).filter(({ subject }) => subject === url)
    expect(rows.at(-1)).toMatchObject({
      started_at: instant(start),
      expires_at: instant(start + 60 * dayMs),
      secrets: [{ until: null }, { until: instant(now + dayMs) }],
    })
    expect(rows).toHaveLength(2)
  })

  test('sends a reminder three days before its end, and an event at its end', async () => {
    const { log, told, subscribe, watching, pass } = await open()
    await subscribe('http://shop.sample/ends')
    await begun(log)
    const remind = async (at: number) => {
      now = start + at
      await watching.remind()
    }
    await remind(26 * dayMs)
    await remind(27 * dayMs)
    await remind(28 * dayMs)
    await until(() => told.length === 1, 'the reminder')
    await remind(30 * dayMs)
    await remind(31 * dayMs)
    await until(() => told.length === 2, 'the end')
    expect(typesOf(told)).toEqual(['subscription.expiring', 'subscription.ended'])
    const before = (await rowsOf(log, endpointChecks)).length
    await pass(2 * slotMs)
    expect(await rowsOf(log, endpointChecks)).toHaveLength(before)
    await remind(40 * dayMs)
    await until(async () => (await log.end(watchSubscriptions.topic)).get(0) !== undefined)
    expect(told).toHaveLength(2)
  })

  test('ends when its subscriber says so', async () => {
    const { log, told, subscribe } = await open()
    const subscription_id = await subscribe('http://shop.sample/cancelled')
    await begun(log)
    now += dayMs
    await write(log, watchOrders, {
      ...{ order_id: 'one', order: 'cancel', subscription_id, at: instant(now), nonce: '' },
      ...{ answer_sha256: null, subscription: null, baseline: null },
    })
    await until(() => told.length === 1, 'the end')
    expect(told[0]).toMatchObject({ type: 'subscription.ended', data: { expires_at: instant(now) } })
  })
})

test('a crash between the events and the states of the judge invents no event', async () => {
  const log = await openTopics()
  let isCrashing = false
  const crashing = appendingTo(log, async (topic, entries) => {
    if (isCrashing && topic.name === endpointStates.topic.name) throw new Error('the power is gone')
    await log.append(topic, entries)
  })
  now = start
  const first = await open(crashing)
  await first.subscribe('http://shop.sample/crash')
  await begun(log)
  await judged(log)
  first.world.seller = answeringWith(500)
  await first.pass(slotMs)
  isCrashing = true
  now += 30_000
  const died = first.watching.ended.then(
    () => false,
    () => true,
  )
  first.watching.round()
  expect(await died).toBe(true)
  await first.close().catch(() => {})
  isCrashing = false
  const second = await open(log)
  await judged(log)
  await until(async () => (await rowsOf(log, endpointStates)).at(-1)?.state === 'down', 'the verdict')
  const ids = (await rowsOf(log, webhookEvents)).map(({ event_id }) => event_id)
  expect(ids.length).toBeGreaterThanOrEqual(2)
  expect(new Set(ids).size).toBe(1)
  await until(() => first.told.length + second.told.length >= 1, 'the outage to be told')
  expect(new Set([...first.told, ...second.told].map(({ id }) => id)).size).toBe(1)
})

describe('a key that is removed from WEIGH_KEY too early', () => {
  const other = new Seal([`0x${'43'.repeat(32)}`])

  async function outage(log: Log) {
    const opened = await open(log, undefined, other)
    await judged(log)
    opened.world.seller = answeringWith(500)
    await opened.pass(slotMs)
    await opened.pass(30_000, 1000)
    return opened
  }

  test('leaves its events undelivered, is reported once, and loses nothing once it is back', async () => {
    const log = await openTopics()
    const first = await open(log)
    now = start
    await first.subscribe('http://shop.sample/lost')
    await begun(log)
    await judged(log)
    await first.close()
    const { failed, told, world, pass, close } = await outage(log)
    await until(async () => (await rowsOf(log, webhookDeliveries)).length === 1, 'the attempt')
    expect(await rowsOf(log, webhookDeliveries)).toMatchObject([{ outcome: 'sealed', problem: 'key_gone' }])
    world.seller = quoting()
    await pass(slotMs)
    await until(async () => (await rowsOf(log, webhookDeliveries)).length > 1, 'another attempt')
    expect(failed).toEqual([['webhook', expect.objectContaining({ name: 'KeyGone' })]])
    await close()
    now += 60 * minuteMs
    const back = await open(log, undefined, new Seal([`0x${'43'.repeat(32)}`, `0x${'42'.repeat(32)}`]))
    await until(() => back.told.length === 2, 'the events')
    expect([...told, ...typesOf(back.told)]).toEqual(['endpoint.down', 'endpoint.recovered'])
  })

  test('does not affect a subscription that was prolonged since', async () => {
    const log = await openTopics()
    const first = await open(log)
    now = start
    const url = 'http://shop.sample/renewed'
    await first.subscribe(url)
    await begun(log)
    await judged(log)
    const [row] = await rowsOf(log, watchSubscriptions)
    const id = row?.subscription_id ?? ''
    const fresh = { sealed: other.hide(Buffer.alloc(32, 2), id), until: null }
    await first.close()
    if (row) await write(log, watchSubscriptions, { ...row, secrets: [fresh, ...row.secrets] })
    const { told } = await outage(log)
    await until(() => told.length === 1, 'the outage to be told')
  })
})

test('if our own network is gone, no endpoint counts as down', async () => {
  // Each host is checked every minute, so all of them within one minute.
  const rhythm = { everyMs: minuteMs, againMs: 30_000 }
  const { log, told, world, subscribe, pass } = await open(undefined, rhythm)
  const shops = ['shop', 'two', 'three', 'four', 'five', 'six']
  for (const name of shops) {
    web.names.set(`${name}.sample`, [[publicAddress]])
    await subscribe(`http://${name}.sample/x`)
  }
  await begun(log, shops.length)
  await judged(log)
  world.seller = request => request.socket.destroy()
  await pass(5 * minuteMs, 1000)
  expect((await rowsOf(log, endpointStates)).at(-1)?.state).toBe('unknown')
  world.seller = quoting()
  await pass(2 * minuteMs, 1000)
  expect(told).toEqual([])
  expect((await rowsOf(log, endpointStates)).at(-1)?.state).toBe('up')
})
