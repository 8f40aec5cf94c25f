import { createPublicKey, verify } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { Webhook as Standard } from 'standardwebhooks'
import { Webhook as Svix } from 'svix'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Seal } from '../../../../pipelines/domains/watch/seal.ts'
import type { Log } from '../../../../pipelines/rails/log/log.ts'
import { metrics } from '../../../../pipelines/rails/metrics.ts'
import { type OutboxOptions, startOutbox } from '../../../../pipelines/rails/outbox/outbox.ts'
import { nextAt, pausesMs } from '../../../../pipelines/rails/outbox/schedule.ts'
import { readSecret, secretText } from '../../../../pipelines/rails/outbox/signature.ts'
import { instant } from '../../../../schemas/values/values.ts'
import {
  type WebhookEvent,
  webhookDead,
  webhookDeliveries,
  webhookEvents,
  webhookStandings,
} from '../../../../schemas/webhooks.ts'
import { until } from '../../../until.ts'
import { openWeb } from '../outside/fetching/web.ts'
import { appendingTo, openTopics, rowsOf, write } from './topics.ts'

const web = await openWeb()
const seal = new Seal([`0x${'42'.repeat(32)}`])
const secret = Buffer.alloc(32, 7)
const hourMs = 3_600_000
let clock = Date.now()
let named = 0

const eventOf = (n: number, subscription_id = 'sub_one'): WebhookEvent => ({
  event_id: `msg_${n}`,
  subscription_id,
  type: 'endpoint.down',
  at: instant(clock),
  body: JSON.stringify({ type: 'endpoint.down', n }),
  replay: 0,
})

interface Told {
  id: string
  headers: Record<string, string>
  body: string
}

async function heardBy(request: IncomingMessage): Promise<Told> {
  const headers = request.headers as Record<string, string>
  return { id: headers['webhook-id'] ?? '', headers, body: await text(request) }
}

interface Opening {
  log?: Log
  url?: string
  letterOf?: OutboxOptions['letterOf']
}

const letterTo =
  (url: string): OutboxOptions['letterOf'] =>
  ({ body, subscription_id }) =>
    subscription_id === 'sub_gone' ? 'ended' : { url, secrets: [secret], body }

/** Opens an outbox whose webhooks are at shop.sample. `answer` gets each event that arrives. */
async function open(
  answer: (told: Told, nth: number) => number | [number, Record<string, string>],
  { log, url = 'http://shop.sample/hook', letterOf = letterTo(url) }: Opening = {},
) {
  const topics = log ?? (await openTopics())
  const told: Told[] = []
  web.answer = (request, response) => {
    heardBy(request).then(heard => {
      told.push(heard)
      const [status, headers] = [answer(heard, told.length)].flat() as [number, Record<string, string>?]
      response.writeHead(status, headers ?? {}).end('ok')
    })
  }
  const failed: unknown[] = []
  const outbox = await startOutbox({
    log: topics,
    visits: web.fetch(),
    letterOf,
    sign: said => seal.sign(said),
    now: () => clock,
    onFailed: error => failed.push(error),
  })
  let closing: Promise<void> | undefined
  const close = () => (closing ??= outbox.close())
  onTestFinished(close)
  const ids = () => told.map(({ id }) => id)
  /** Moves the clock until the next attempts are due, and waits for their end. Running attempts end first. */
  const pass = async (ms: number) => {
    await outbox.idle()
    clock += ms
    outbox.work()
    await outbox.idle()
  }
  return { log: topics, told, ids, outbox, close, pass, failed }
}

describe('the outbox', () => {
  test('delivers an event, signed so that other libraries accept it', async () => {
    const { log, told, outbox } = await open(() => 204)
    await write(log, webhookEvents, eventOf(++named))
    await until(() => told.length === 1 && outbox.open === 0)
    const { headers, body } = told[0] as Told
    for (const library of [new Standard(secretText(secret)), new Svix(secretText(secret))])
      expect(() => library.verify(body, headers)).not.toThrow()
    expect(() => new Standard(secretText(Buffer.alloc(32, 8))).verify(body, headers)).toThrow()
    expect(() => new Svix(secretText(secret)).verify(`${body} `, headers)).toThrow()
    const [, asymmetric] = headers['webhook-signature']?.split(' ') ?? []
    expect(asymmetric).toMatch(/^v1a,/)
    const raw = Buffer.from(seal.publicKeys[0]?.slice('whpk_'.length) ?? '', 'base64')
    const key = createPublicKey({
      key: Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw]),
      format: 'der',
      type: 'spki',
    })
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
    expect(verify(null, Buffer.from(signed), key, Buffer.from(asymmetric?.slice(4) ?? '', 'base64'))).toBe(
      true,
    )
    await until(async () => (await rowsOf(log, webhookDeliveries)).length === 1)
    const [delivery] = await rowsOf(log, webhookDeliveries)
    expect(delivery).toMatchObject({ attempt: 1, outcome: 'delivered', status: 204, next_at: null })
    expect(JSON.stringify(delivery)).not.toContain('shop.sample')
  })

  test('signs each attempt anew, so a copy of an old one is refused', async () => {
    const { log, told, pass, outbox } = await open((_, nth) => (nth === 1 ? 500 : 200))
    await write(log, webhookEvents, eventOf(++named))
    await until(() => told.length === 1)
    await outbox.idle()
    const began = clock
    await pass(6_100)
    await until(() => told.length === 2)
    const [first, second] = told as [Told, Told]
    expect(first.id).toBe(second.id)
    expect(Number(second.headers['webhook-timestamp'])).toBeGreaterThanOrEqual(Math.floor(began / 1000) + 6)
    const old = { ...first.headers, 'webhook-timestamp': String(Math.floor(Date.now() / 1000) - 301) }
    expect(() => new Standard(secretText(secret)).verify(first.body, old)).toThrow(/too old/)
  })

  test('tries again by the schedule for 75 hours, then gives up', async () => {
    const { log, told, pass } = await open(() => 500)
    await write(log, webhookEvents, eventOf(++named, 'sub_dead'))
    await until(() => told.length === 1)
    for (const [nth, pauseMs] of pausesMs.entries()) {
      await pass(pauseMs * 0.79)
      expect(told).toHaveLength(nth + 1)
      await pass(pauseMs * 0.42)
      expect(told).toHaveLength(nth + 2)
    }
    expect(new Set(told.map(({ id }) => id)).size).toBe(1)
    await pass(100 * hourMs)
    expect(told).toHaveLength(10)
    expect(await rowsOf(log, webhookDead)).toMatchObject([{ attempts: 10, reason: 'attempts' }])
    expect(await rowsOf(log, webhookDeliveries)).toHaveLength(10)
  })

  test('sends the events of a subscription one at a time, and a failed one delays no other', async () => {
    const { log, ids, pass, outbox } = await open(({ id }) => (id === 'msg_a1' ? 500 : 200))
    const named = (name: string, of: string) => ({ ...eventOf(0, of), event_id: `msg_${name}` })
    await write(log, webhookEvents, named('a1', 'sub_a'), named('a2', 'sub_a'), named('b1', 'sub_b'))
    await until(() => ids().length === 3 && outbox.open === 1)
    expect(ids().filter(id => id.startsWith('msg_a'))).toEqual(['msg_a1', 'msg_a2'])
    await pass(6_100)
    expect(ids().filter(id => id === 'msg_a1')).toHaveLength(2)
    // It keeps its own schedule: five minutes after the second attempt, whatever else was sent.
    await write(log, webhookEvents, named('a3', 'sub_a'))
    await until(() => ids().includes('msg_a3'))
    await pass(3 * 60_000)
    expect(ids().filter(id => id === 'msg_a1')).toHaveLength(2)
    await pass(3.1 * 60_000)
    expect(ids().filter(id => id === 'msg_a1')).toHaveLength(3)
  })

  test('sends news before what failed, and that before replays', async () => {
    let isUp = false
    const { log, ids, told, outbox } = await open(() => (isUp ? 200 : 500))
    const [old, failed, fresh] = [1, 2, 3].map(n => ({
      ...eventOf(n, 'sub_ranks'),
      event_id: `msg_rank${n}`,
    }))
    await write(log, webhookEvents, failed as WebhookEvent)
    await until(() => told.length === 1)
    await outbox.idle()
    isUp = true
    clock += 6_100
    await write(log, webhookEvents, { ...(old as WebhookEvent), replay: 9 }, fresh as WebhookEvent)
    await until(() => outbox.open === 0)
    expect(ids()).toEqual(['msg_rank2', 'msg_rank3', 'msg_rank2', 'msg_rank1'])
  })

  test('sends a replay of what still waits at once, and not twice', async () => {
    let isUp = false
    const { log, ids, told, pass, outbox } = await open(() => (isUp ? 200 : 500))
    const [one, two] = [eventOf(++named, 'sub_replay'), eventOf(++named, 'sub_replay')]
    await write(log, webhookEvents, one, two)
    await until(() => told.length === 2)
    await pass(6_100)
    expect(told).toHaveLength(4)
    isUp = true
    for (const replay of [7, 8]) await write(log, webhookEvents, { ...one, replay }, { ...two, replay })
    await until(() => outbox.open === 0)
    await until(async () => (await log.lag(webhookEvents.topic, 'outbox')) === 0)
    await pass(200 * hourMs)
    const sent = ids().slice(4)
    expect(new Set(sent)).toEqual(new Set([one.event_id, two.event_id]))
    expect(sent.length).toBeLessThanOrEqual(4)
    expect(await rowsOf(log, webhookDead)).toEqual([])
  })

  test.each([429, 502, 503, 504])('waits as long as a %i asks it to', async status => {
    const { log, told, pass } = await open((_, nth) =>
      nth === 1 ? [status, { 'retry-after': '3600' }] : 200,
    )
    await write(log, webhookEvents, eventOf(++named, `sub_${status}`))
    await until(() => told.length === 1)
    await pass(0)
    await pass(3_590_000)
    expect(told).toHaveLength(1)
    await pass(20_000)
    expect(told).toHaveLength(2)
  })

  test('reads a date in Retry-After, and nothing from an answer without it', async () => {
    const { log, told, pass } = await open((_, nth) =>
      nth === 1
        ? [503, { 'retry-after': new Date(clock + 600_000).toUTCString() }]
        : [500, { 'retry-after': '9999' }],
    )
    await write(log, webhookEvents, eventOf(++named, 'sub_dated'))
    await until(() => told.length === 1)
    await pass(0)
    await pass(590_000)
    expect(told).toHaveLength(1)
    await pass(15_000)
    expect(told).toHaveLength(2)
    await pass(6.1 * 60_000)
    expect(told).toHaveLength(3)
  })

  test('sends nothing more after a 410', async () => {
    const { log, told, pass } = await open(() => 410)
    await write(log, webhookEvents, eventOf(++named, 'sub_left'), eventOf(++named, 'sub_left'))
    await until(async () => (await rowsOf(log, webhookDead)).length === 2)
    await pass(200 * hourMs)
    expect(told).toHaveLength(1)
    expect(await rowsOf(log, webhookStandings)).toMatchObject([{ state: 'gone' }])
    expect((await rowsOf(log, webhookDead)).map(({ reason }) => reason)).toEqual(['gone', 'gone'])
  })

  test('waits for a missing key, sends with it, and gives up without it as with any failure', async () => {
    const world = { hasKey: false }
    const letterOf: OutboxOptions['letterOf'] = event =>
      world.hasKey ? letterTo('http://shop.sample/hook')(event) : 'sealed'
    const { log, told, pass, outbox } = await open(() => 204, { letterOf })
    await write(log, webhookEvents, eventOf(++named, 'sub_back'))
    await until(async () => (await rowsOf(log, webhookDeliveries)).length === 1)
    expect(await rowsOf(log, webhookDeliveries)).toMatchObject([
      { attempt: 1, outcome: 'sealed', problem: 'key_gone', status: null, next_at: expect.any(String) },
    ])
    world.hasKey = true
    await pass(6_100)
    expect(told.map(({ id }) => id)).toEqual([`msg_${named}`])

    world.hasKey = false
    await write(log, webhookEvents, eventOf(++named, 'sub_lost'))
    await until(() => outbox.open === 1)
    for (let tries = 0; tries < 12; tries++) await pass(30 * hourMs)
    expect(outbox.open).toBe(0)
    expect(told).toHaveLength(1)
    expect(await rowsOf(log, webhookDead)).toMatchObject([{ attempts: 10, reason: 'sealed' }])
    expect((await rowsOf(log, webhookDeliveries)).at(-1)).toMatchObject({ outcome: 'sealed', next_at: null })
    // The receiver did nothing wrong, so its webhook is not paused.
    expect(await rowsOf(log, webhookStandings)).toEqual([])
  })

  test('follows no redirect', async () => {
    const { log, told, pass } = await open((_, nth) =>
      nth === 1 ? [302, { location: 'http://shop.sample/b' }] : 200,
    )
    await write(log, webhookEvents, eventOf(++named, 'sub_moved'))
    await until(() => told.length === 1)
    await pass(6_100)
    await until(() => told.length === 2)
    expect(await rowsOf(log, webhookDeliveries)).toMatchObject([
      { outcome: 'failed', status: 302 },
      { status: 200 },
    ])
  })

  test('pauses after five dead events in a row, and continues when a test succeeds', async () => {
    let isUp = false
    const { log, told, pass, outbox } = await open(() => (isUp ? 200 : 500))
    for (let dead = 1; dead <= 5; dead++) {
      await write(log, webhookEvents, eventOf(++named, 'sub_weak'))
      await until(() => outbox.open === 1)
      for (let tries = 0; tries < 12; tries++) await pass(30 * hourMs)
      expect(await rowsOf(log, webhookDead)).toHaveLength(dead)
    }
    expect((await rowsOf(log, webhookStandings)).at(-1)).toMatchObject({ state: 'paused', dead_in_a_row: 5 })
    const tries = told.length
    await write(log, webhookEvents, eventOf(++named, 'sub_weak'))
    await until(() => outbox.open === 1)
    await pass(hourMs)
    expect(told).toHaveLength(tries)
    isUp = true
    const good = { subscription_id: 'sub_weak', state: 'open' as const, dead_in_a_row: 0, at: instant(clock) }
    await write(log, webhookStandings, good)
    await until(() => told.length === tries + 1)
    expect(told.at(-1)?.id).toBe(`msg_${named}`)
  })

  test('sends nothing for an unknown subscription', async () => {
    const { log, told } = await open(() => 200)
    await write(log, webhookEvents, eventOf(++named, 'sub_gone'))
    await until(async () => (await rowsOf(log, webhookDead)).length === 1)
    expect(told).toEqual([])
  })

  test('sends an event once that the log brings twice, and a replay again with the same id', async () => {
    const { log, ids, outbox } = await open(() => 200)
    const event = eventOf(++named, 'sub_twice')
    await write(log, webhookEvents, event, event)
    await until(() => ids().length === 1 && outbox.open === 0)
    await write(log, webhookEvents, event)
    await write(log, webhookEvents, { ...event, replay: 5 })
    await until(() => ids().length === 2 && outbox.open === 0)
    expect(new Set(ids()).size).toBe(1)
  })

  test('continues after a restart at the same place, and keeps the order', async () => {
    const first = await open(() => 500)
    const many = Array.from({ length: 20 }, () => eventOf(++named, 'sub_again'))
    await write(first.log, webhookEvents, ...many)
    await until(() => first.told.length > 0 && first.outbox.open === 20)
    await first.outbox.idle()
    const waiting = async () => (await metrics.webhooksOpen.get()).values.map(({ value }) => value)
    expect((await waiting())[0]).toBeGreaterThan(0)
    await first.close()
    expect(await waiting()).toEqual([])
    const second = await open(() => 200, { log: first.log })
    expect(second.outbox.open).toBe(20)
    await second.pass(0)
    expect(second.told).toEqual([])
    await second.pass(6_100)
    await until(() => second.outbox.open === 0)
    expect(second.ids()).toEqual(many.map(({ event_id }) => event_id))
  })

  test('repeats an attempt when the log could not record it', async () => {
    const log = await openTopics()
    let isAway = false
    const failing = appendingTo(log, (...asked) =>
      isAway ? Promise.reject(new Error('the disk is full')) : log.append(...asked),
    )
    const { ids, outbox, failed, pass } = await open(
      () => {
        isAway = ids().length === 1
        return 200
      },
      { log: failing },
    )
    await write(log, webhookEvents, eventOf(++named, 'sub_full'))
    await until(() => failed.length === 1)
    isAway = false
    await pass(5_100)
    await until(() => outbox.open === 0)
    expect(ids()).toEqual([`msg_${named}`, `msg_${named}`])
  })
})

/** LONG_FORM brings a thousand. */
const storms = process.env.LONG_FORM ? 1000 : 60

test(`a storm of ${storms} events: all are sent, none is invented, and each keeps its id`, async () => {
  let seed = 11
  const random = () => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31
    return seed / 2 ** 31
  }
  const log = await openTopics()
  let isStorming = true
  const stormy = appendingTo(log, async (...asked) => {
    const chance = isStorming ? random() : 1
    if (chance < 0.05) throw new Error('the log is away')
    await log.append(...asked)
    // The log has the record, and its writer dies before it learns so.
    if (chance < 0.1) throw new Error('the power is gone')
  })
  const told: string[] = []
  web.answer = (request, response) => {
    const id = request.headers['webhook-id'] as string
    const fate = isStorming ? Math.floor(random() * 6) : 0
    if (fate < 3) told.push(id)
    if (fate === 0 || fate === 1) response.writeHead(204).end()
    else if (fate === 2 || fate === 3) request.socket.destroy()
    else if (fate === 4) response.writeHead(302, { location: 'http://shop.sample/b' }).end()
    else response.writeHead(500).end()
  }
  const start = () =>
    startOutbox({
      log: stormy,
      visits: web.fetch(),
      letterOf: letterTo('http://shop.sample/hook'),
      sign: said => seal.sign(said),
      now: () => clock,
      onFailed: () => {},
    })
  const sent = Array.from({ length: storms }, (_, n) => ({
    ...eventOf(0, `sub_${n % 7}`),
    event_id: `msg_storm${n}`,
  }))
  for (const event of sent) {
    await write(log, webhookEvents, event)
    if (random() > 0.3) continue
    // A run that ends by itself has died with the log; the others are stopped. The next run continues.
    const outbox = await start()
    outbox.ended.catch(() => {})
    for (let tries = 0; tries < 3; tries++) {
      clock += 400_000
      outbox.work()
      await outbox.idle()
    }
    await outbox.close()
  }
  isStorming = false
  const last = await start()
  onTestFinished(() => last.close())
  await until(async () => {
    clock += 3_600_000
    last.work()
    await last.idle()
    return last.open === 0 && (await log.lag(webhookEvents.topic, 'outbox')) === 0
  }, 'the calm after it')
  expect(new Set(told)).toEqual(new Set(sent.map(({ event_id }) => event_id)))
  expect(await rowsOf(log, webhookDead)).toEqual([])
})

describe('a private address', () => {
  test.each([
    'http://127.0.0.1/hook',
    'http://[::ffff:10.0.0.1]/hook',
    'http://169.254.169.254/latest',
    'http://rebinding.sample/hook',
  ])('is never dialled: %s', async url => {
    // The name has a public address at the first attempt, and a private one at the next.
    web.names.set('rebinding.sample', [['93.184.216.34'], ['10.0.0.5']])
    const { log, told, pass } = await open(() => 500, { url })
    await write(log, webhookEvents, eventOf(++named, `sub_${named}`))
    const isRebound = url.includes('rebinding')
    await until(async () => (await rowsOf(log, webhookDeliveries)).length === 1)
    for (let tries = 0; tries < 12; tries++) await pass(30 * hourMs)
    expect(told).toHaveLength(isRebound ? 1 : 0)
    expect(await rowsOf(log, webhookDead)).toHaveLength(1)
    expect((await rowsOf(log, webhookDeliveries)).at(-1)).toMatchObject({
      problem: 'not_public',
      status: null,
    })
    expect(web.strays).toBe(0)
  })
})

test('secrets have 24 to 64 bytes, and no other form', () => {
  for (const size of [24, 32, 64]) {
    const own = secretText(Buffer.alloc(size, 1))
    expect(readSecret(own)).toHaveLength(size)
    expect(new Standard(own)).toBeDefined()
  }
  for (const bad of [
    '',
    'whsec_',
    secretText(Buffer.alloc(23)),
    secretText(Buffer.alloc(65)),
    'whsec_ü',
    'MfKQ',
  ])
    expect(readSecret(bad)).toBeUndefined()
})

test('attempts vary by up to a fifth, and never come before the receiver wants them', () => {
  expect(nextAt(1, 0, 0, 0)).toBe(4000)
  expect(nextAt(1, 0, 0, 1)).toBe(6000)
  expect(nextAt(1, 0, 60_000, 0)).toBe(60_000)
  expect(nextAt(10, 0)).toBeUndefined()
})
