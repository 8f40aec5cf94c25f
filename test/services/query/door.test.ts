/** What the door counts of calls, and what it never keeps. */
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { telling } from '../../../pipelines/rails/telling.ts'
import { eventsIn } from '../../../schemas/dataset/packed-events.ts'
import { type DoorCount, doorCounts } from '../../../schemas/door-counts.ts'
import type { Operation } from '../../../services/offer/operation.ts'
import { familyOf } from '../../../services/query/door/client-family.ts'
import { Door, nothingNamed, type Way } from '../../../services/query/door/door.ts'
import { shapeOf } from '../../../services/query/door/question-shape.ts'
import { until } from '../../until.ts'
import { echo, signed } from '../till/paying.ts'
import { callerOf, clientOf, connected } from './mcp/connected.ts'
import { openSelling } from './selling.ts'

const at = Date.parse('2026-11-28T10:00:30.000Z')
const way: Way = { protocol: 'http', network: 'none', client: 'node', paying: false }
const asked = { origin: 'data', operation: 'exchangeRate' }

/** Of each kind how many calls. */
const told = (door: Door) =>
  Object.fromEntries(
    door
      .take()
      .map(({ operation, protocol, network, client, outcome, code, calls }) => [
        [operation, protocol, network, client, outcome, code].filter(Boolean).join(' '),
        calls,
      ]),
  )

describe('a seller', () => {
  it('counts each call once: by operation, protocol, network, program and outcome', async () => {
    const door = new Door(Date.now)
    const { ask, pay } = await openSelling({ door, perMinute: 8 })
    const headers = { 'user-agent': 'python-httpx/0.28' }
    await ask({ headers })
    await ask({ headers: { 'user-agent': 'the own words of a stranger' } })
    await ask({ method: 'HEAD' })
    const payment = await signed()
    await pay(payment, { headers })
    await pay(payment, { headers })
    await pay(await signed(), { body: '{"say":7}', headers })
    await ask({ headers: { 'x-payment': 'e30=', ...headers } })
    for (const _ of [1, 2, 3]) await ask({ headers })
    expect(told(door)).toEqual({
      'echoOnce http none python quoted': 2,
      'echoOnce http none other quoted': 1,
      'echoOnce http none node quoted': 1,
      'echoOnce x402 base python paid': 1,
      'echoOnce x402 base python again': 1,
      'echoOnce x402 base python refused invalid_request': 1,
      'echoOnce x402_v1 none python refused invalid_payment': 1,
      'echoOnce http none python limited too_many_requests': 2,
    })
  })
})

it('counts calls of tools: quotes, sales, free tries and refusals', async () => {
  const door = new Door(Date.now)
  const { mcpUrl } = await connected({ door })
  const call = callerOf(await clientOf(mcpUrl, { 'user-agent': 'langchain/1.0' }))
  await call('echo')
  for (const _ of [1, 2, 3, 4]) await call('tried_echo')
  await call('tried_echo', { payment: await signed() })
  await call('echo', { say: 7 })
  const tools = Object.entries(told(door)).filter(([name]) => /mcp|try_it/.test(name))
  expect(Object.fromEntries(tools)).toEqual({
    'echoOnce mcp none agent quoted': 1,
    'echoOnce mcp none agent refused invalid_request': 1,
    'triedOnce mcp base agent paid': 1,
    'triedOnce mcp none agent quoted': 1,
    'triedOnce try_it none agent free': 3,
  })
})

describe('a telling', () => {
  it('has the minute, a histogram, and is another one each time', () => {
    const door = new Door(() => at)
    for (const tookMs of [0.4, 3, 3, 20_000]) door.count(asked, way, { outcome: 'quoted', tookMs })
    const [first] = door.take() as [DoorCount]
    expect(first).toMatchObject({ minute: '2026-11-28T10:00:00.000Z', calls: 4, took_ms: 20_006, part: 1 })
    expect(first.took).toEqual([1, 2, 0, 0, 0, 0, 0, 1])
    expect(doorCounts.event.safeParse(first).error).toBeUndefined()
    expect(door.take()).toEqual([])
    door.count(asked, way, { outcome: 'quoted', tookMs: 1 })
    expect(door.take()).toMatchObject([{ calls: 1, part: 2, instance: first.instance }])
  })

  it('grows no further than its bound, and counts what is beyond without its name', () => {
    const door = new Door(() => at)
    for (let n = 0; n < 6000; n++)
      door.refuse({ ...asked, operation: `no-${n}` }, way, { code: 'x', status: 422, tookMs: 1 })
    const rows = door.take()
    expect(rows.length).toBe(5001)
    expect(rows.find(({ origin }) => origin === nothingNamed.origin)?.calls).toBe(1000)
    expect(rows.reduce((sum, { calls }) => sum + calls, 0)).toBe(6000)
  })

  it('that the log does not take comes again, as the same facts', async () => {
    const door = new Door(() => at)
    const appended: string[][] = []
    let isAway = true
    const running = telling(doorCounts, door, {
      log: {
        append: async (_, entries) => {
          appended.push(entries.map(({ value }) => value as string))
          if (isAway) throw new Error('away')
          return [] as never
        },
      },
      now: () => at,
      onFailed: () => {},
      firstMs: 1,
    })
    door.count(asked, way, { outcome: 'paid', tookMs: 40 })
    await until(() => appended.length > 0, 'the first telling')
    isAway = false
    door.count(asked, way, { outcome: 'paid', tookMs: 40 })
    await running.close()
    const events = (values: string[]) => values.flatMap(value => eventsIn(doorCounts, value))
    const [before, after] = [events(appended[0] as string[]), events(appended.at(-1) as string[])]
    expect(before.map(({ event }) => event?.part)).toEqual([1])
    expect(after.map(({ event }) => event?.part)).toEqual([1, 2])
    expect(after[0]?.event).toEqual(before[0]?.event)
  })
})

describe('the family of a program', () => {
  it.each([
    ['farebox-canary', 'canary'],
    ['curl/8.5.0', 'command_line'],
    ['python-requests/2.32.3', 'python'],
    ['node', 'node'],
    ['undici', 'node'],
    ['axios/1.7.9', 'node'],
    ['Go-http-client/2.0', 'go'],
    ['reqwest/0.12', 'rust'],
    ['Java-http-client/17', 'java'],
    ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/130 Safari/537.36', 'browser'],
    ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'crawler'],
    ['Claude-User/1.0', 'agent'],
    ['', 'none'],
    [undefined, 'none'],
    [`${'x'.repeat(300)}curl/`, 'other'],
  ])('of %s is %s', (userAgent, family) => {
    expect(familyOf(userAgent)).toBe(family)
  })

  it('is found among thousands of names that strangers make up', () => {
    for (let n = 0; n < 2000; n++) expect(familyOf(`made-up-${n}`)).toBe('other')
    expect(familyOf('curl/8.5.0')).toBe('command_line')
  })
})

describe('the shape of a question', () => {
  const operation = {
    ...echo,
    request: z.union([z.strictObject({ say: z.string() }), z.strictObject({ list: z.array(z.string()) })]),
  } as unknown as Operation
  it.each([
    [{ say: 'a secret' }, 'say:string'],
    [{ say: null, list: [1] }, 'list:list say:null'],
    [{ 'a secret': 1, say: 7 }, 'say:number unknown'],
    ['a secret', 'string'],
    [undefined, 'nothing'],
    [[], 'list'],
  ])('%j is %s', (question, shape) => {
    expect(shapeOf(operation, question)).toBe(shape)
  })

  it('is counted where the operator wants it, and nowhere else', async () => {
    for (const tellsShapes of [true, false]) {
      const door = new Door(Date.now, { tellsShapes })
      const { pay } = await openSelling({ door })
      await pay(await signed(), { body: '{"say":7,"a secret":"of mine"}' })
      expect(door.take().map(({ shape }) => shape)).toEqual([tellsShapes ? 'say:number unknown' : ''])
    }
  })
})
