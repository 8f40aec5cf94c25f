import { describe, expect, test } from 'vitest'
import { judge } from '../../../../pipelines/domains/watch/judge.ts'
import { rowOf } from '../../../../pipelines/domains/watch/url.ts'
import type { EndpointCheck } from '../../../../schemas/endpoint-checks.ts'
import {
  type EndpointChange,
  type EndpointState,
  endpointStates,
} from '../../../../schemas/endpoint-states.ts'
import { instant } from '../../../../schemas/values/values.ts'

const start = Date.parse('2026-11-16T09:00:00Z')
const minuteMs = 60_000
const dayMs = 86_400_000

const offer = (amount = '10000', pay_to = '0xaa') => ({
  scheme: 'exact',
  network: 'eip155:8453',
  asset: '0xusdc',
  amount,
  pay_to,
})

const good = (at: number, offers = [offer()]): EndpointCheck => ({
  ...rowOf('https://shop.example.com/fx?key=1'),
  at: instant(at),
  verdict: 'good',
  problem: null,
  status: 402,
  latency_ms: 80,
  price_usd: '0.01',
  offers,
  again: false,
})
const failed = (at: number, problem = 'timeout'): EndpointCheck => ({
  ...good(at, []),
  verdict: 'failed',
  problem,
  status: null,
  latency_ms: null,
  price_usd: null,
})
const unknown = (at: number, problem = 'own_trouble'): EndpointCheck => ({
  ...failed(at, problem),
  verdict: 'unknown',
})

function judged(checks: readonly EndpointCheck[]) {
  let state: EndpointState | undefined
  const changes: EndpointChange[] = []
  for (const check of checks) {
    const verdict = judge(state, check)
    state = verdict.state
    changes.push(...verdict.changes)
  }
  return { state: state as EndpointState, changes, types: changes.map(({ type }) => type) }
}

/** Checks at 0, 1, 2 … minutes. */
const inTurn = (...made: ((at: number) => EndpointCheck)[]) =>
  judged(made.map((make, minute) => make(start + minute * minuteMs)))
const g = (at: number) => good(at)
const f = (at: number) => failed(at)
const u = (at: number) => unknown(at)
const dearer = (at: number) => good(at, [offer('20000')])
const dearest = (at: number) => good(at, [offer('30000')])
const other = (at: number) => good(at, [offer('10000', '0xbb')])
const both = (at: number) => good(at, [offer('20000', '0xbb')])
const down = 'endpoint.down'
const up = 'endpoint.recovered'
const price = 'endpoint.price_changed'
const paid = 'endpoint.payee_changed'

describe('the judge', () => {
  test.each<[string, ((at: number) => EndpointCheck)[], string[], string]>([
    ['says nothing of what is well', [g, g, g], [], 'up'],
    ['says nothing of one failure', [g, f, g, f, g], [], 'up'],
    ['says down after two failures in a row', [g, f, f], [down], 'down'],
    ['says down once', [g, f, f, f, f], [down], 'down'],
    ['says down of what never was up', [f, f], [down], 'down'],
    ['says recovered after one good check', [g, f, f, g], [down, up], 'up'],
    ['says each outage', [g, f, f, g, f, f, g], [down, up, down, up], 'up'],
    ['says nothing while the trouble is ours', [g, u, u, u, g], [], 'up'],
    ['does not count what failed before our own trouble', [g, f, u, f], [], 'unknown'],
    ['says down after our own trouble', [g, u, f, f], [down], 'down'],
    ['says recovered after our own trouble', [g, f, f, u, g], [down, up], 'up'],
    ['says nothing of a price that was seen once', [g, dearer, g], [], 'up'],
    ['says a price that was seen twice', [g, dearer, dearer], [price], 'up'],
    ['says a payee that was seen twice', [g, other, other], [paid], 'up'],
    ['says a price and a payee', [g, both, both], [paid, price], 'up'],
    ['says that they are back as before', [g, other, other, g, g], [paid, paid], 'up'],
    ['takes the first quote for what was there before', [f, other, other], [], 'up'],
    ['keeps a doubt through a failure', [g, other, f, other], [paid], 'up'],
  ])('%s', (_, checks, types, state) => {
    const told = inTurn(...checks)
    expect(told.types).toEqual(types)
    expect(told.state.state).toBe(state)
  })

  test('a seller who asks for patience is neither down nor unknown', () => {
    const { state } = inTurn(
      g,
      at => unknown(at, 'throttled'),
      f,
      at => unknown(at, 'throttled'),
      f,
    )
    expect(state).toMatchObject({ state: 'down', told: 'down' })
    expect(inTurn(g, at => unknown(at, 'throttled')).state.state).toBe('up')
  })

  test('shows its evidence', () => {
    const { changes } = inTurn(g, other, other)
    const { before, after, evidence, at } = changes[0] as EndpointChange
    expect(at).toBe(instant(start + 2 * minuteMs))
    expect(JSON.parse(before)).toEqual({ offers: [offer()] })
    expect(JSON.parse(after)).toEqual({ offers: [offer('10000', '0xbb')] })
    expect(JSON.parse(evidence)).toMatchObject([
      { at: instant(start + minuteMs), offers: [{ pay_to: '0xbb' }] },
      { at, offers: [{ pay_to: '0xbb' }] },
    ])
    const [outage] = inTurn(g, f, at => failed(at, 'server_error')).changes
    expect(JSON.parse(outage?.after ?? '')).toMatchObject({ state: 'down', since: instant(start + minuteMs) })
    expect(JSON.parse(outage?.evidence ?? '')).toMatchObject([
      { problem: 'timeout' },
      { problem: 'server_error' },
    ])
  })

  test('a new order of the offers is not a change, but a new asset is', () => {
    const two = [offer(), { ...offer('5'), asset: '0xother' }]
    const checks = (offers: (typeof two)[]) =>
      judged(offers.map((each, i) => good(start + i * minuteMs, each)))
    expect(checks([two, two.toReversed(), two]).types).toEqual([])
    expect(checks([two, [offer()], [offer()]]).types).toEqual([price])
  })

  test('judges nothing twice, and the same checks in the same way', () => {
    const checks = [g(start), f(start + 1), f(start + 2), g(start + 3)]
    const once = judged(checks)
    expect(judged([...checks, ...checks])).toEqual(once)
    expect(judged(checks)).toEqual(once)
  })

  test('counts checks by the day, and remembers the newest latencies', () => {
    const hours = Array.from({ length: 35 * 24 }, (_, hour) => hour * 60 * minuteMs)
    const { state } = judged(
      hours.map(ms => (ms % (10 * 60 * minuteMs) ? good(start + ms) : failed(start + ms))),
    )
    expect(state.days).toHaveLength(30)
    expect(state.days.at(-2)).toMatchObject({ checks: 24 })
    expect(state.days.reduce((sum, day) => sum + day.good, 0)).toBeGreaterThan(30 * 20)
    expect(state.latencies).toHaveLength(32)
  })
})

describe('a seller who changes all the time', () => {
  const every = (ms: number, offersOf: (nth: number) => EndpointCheck['offers'], many: number) =>
    judged(Array.from({ length: many }, (_, nth) => good(start + nth * ms, offersOf(nth))))
  const slot = 15 * minuteMs

  test('gets three events, then one a day', () => {
    // Each quote is seen twice, so each change is real.
    const days = 4
    const { types, state } = every(slot, nth => [offer(String(1000 + (nth >> 1)))], (days * dayMs) / slot)
    expect(state.summed_at).not.toBeNull()
    expect(types.length).toBeGreaterThanOrEqual(3 + days - 1)
    expect(types.length).toBeLessThanOrEqual(3 + days)
  })

  test('with every call gets one event a day, although no two checks agree', () => {
    const { types, changes } = every(slot, nth => [offer('10000', `0x${nth}`)], dayMs / slot)
    expect(types).toEqual([paid])
    expect(JSON.parse(changes[0]?.after ?? '')).toMatchObject({ dynamic: true })
  })

  test('gets each change again after a quiet day', () => {
    const restless = Array.from({ length: 20 }, (_, nth) => good(start + nth * slot, [offer(String(nth))]))
    const rest = Array.from({ length: 120 }, (_, nth) => good(start + dayMs + nth * slot, [offer('19')]))
    const later = start + 3 * dayMs
    const before = judged([...restless, ...rest])
    const after = judged([...restless, ...rest, dearest(later), dearest(later + slot)])
    expect(before.state.summed_at).toBeNull()
    expect(after.changes.length).toBe(before.changes.length + 1)
  })
})

describe('a payee is always told', () => {
  const slot = 15 * minuteMs
  const thief = '0xthief'
  const quotes = (...made: EndpointCheck['offers'][]) =>
    judged(made.map((offers, nth) => good(start + nth * slot, offers)))
  const dear = (nth: number, pay_to?: string) => [offer(String(1000 + nth), pay_to)]

  test('of a seller whose prices change all day, with the offers of before', () => {
    const restless = Array.from({ length: 40 }, (_, nth) => dear(nth))
    const { changes, state } = quotes(...restless, dear(40, thief), dear(41, thief))
    expect(state.summed_at).not.toBeNull()
    const told = changes.filter(({ type }) => type === paid)
    expect(told).toHaveLength(1)
    expect(JSON.parse(told[0]?.before ?? '')).toEqual({ offers: dear(39) })
    expect(JSON.parse(told[0]?.after ?? '')).toEqual({ offers: dear(41, thief) })
    expect(JSON.parse(told[0]?.evidence ?? '')).toMatchObject([
      { offers: [{ pay_to: thief }] },
      { offers: [{ pay_to: thief }] },
    ])
  })

  test('of a seller with a fresh payee for each call on one network, on the other', () => {
    const onSolana = (nth: number): EndpointCheck['offers'][number] => ({
      ...offer('10000', `deposit${nth}`),
      network: 'solana:x',
    })
    const before = Array.from({ length: 30 }, (_, nth) => [offer(), onSolana(nth)])
    const after = Array.from({ length: 2 }, (_, nth) => [offer('10000', thief), onSolana(100 + nth)])
    const calm = quotes(...before)
    expect(calm.types).toEqual([paid])
    expect(JSON.parse(calm.changes[0]?.after ?? '')).toMatchObject({ dynamic: true })
    expect(quotes(...before, ...after).types).toEqual([paid, paid])
  })

  test('when a fresh payee for each call takes the place of a known one, and when they rest', () => {
    const fresh = Array.from({ length: 50 }, (_, nth) => [offer('10000', `0x${nth}`)])
    expect(quotes([offer()], ...fresh).types).toEqual([paid])
    expect(quotes([offer()], ...fresh, [offer('10000', thief)], [offer('10000', thief)]).types).toEqual([
      paid,
      paid,
    ])
  })

  test('when it takes every second call', () => {
    const turns = Array.from({ length: 10 }, (_, nth) => [offer('10000', nth % 2 ? thief : '0xaa')])
    const { types, state } = quotes([offer()], [offer()], ...turns)
    expect(types).toEqual([paid])
    expect(state.payees.map(({ pay_to }) => pay_to).sort()).toEqual(['0xaa', thief])
  })

  test('when it stands beside the known one, and when it leaves', () => {
    const two = [offer(), offer('10000', thief)]
    expect(quotes([offer()], two, two, two).types).toEqual([paid])
    expect(quotes([offer()], two, two, [offer()], [offer()]).types).toEqual([paid, paid])
  })

  test('of a state that an older release has written', () => {
    const { payees: _p, paid: _o, payees_vary: _v, ...old } = quotes([offer()], [offer()]).state
    const restored = endpointStates.event.parse({ ...old, summed_at: old.since })
    const first = judge(restored, good(start + dayMs, [offer('10000', thief)]))
    const second = judge(first.state, good(start + dayMs + slot, [offer('10000', thief)]))
    expect(first.changes).toEqual([])
    expect(second.changes.map(({ type }) => type)).toEqual([paid])
    expect(JSON.parse(second.changes[0]?.before ?? '')).toEqual({ offers: [offer()] })
  })

  test('and what is remembered of payees has a bound', () => {
    const crowd = (nth: number) => Array.from({ length: 20 }, (_, n) => offer('10000', `0x${nth}-${n}`))
    const { state } = quotes([offer()], ...Array.from({ length: 90 }, (_, nth) => [offer(), ...crowd(nth)]))
    expect(state.payees.length).toBeLessThanOrEqual(41)
    expect(state.payees.filter(({ stands }) => stands).map(({ pay_to }) => pay_to)).toEqual(['0xaa'])
  })
})

test('24 hours of a flapping seller: never more events than outages', () => {
  // A seller that is up and down for random times, and a checker that asks in slots and again after 30 s.
  let seed = 7
  const random = () => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31
    return seed / 2 ** 31
  }
  const turns: number[] = []
  for (let at = start; at < start + dayMs; at += 1000 + random() * 20 * minuteMs) turns.push(at)
  const isUp = (at: number) => turns.filter(turn => turn <= at).length % 2 === 1
  const outages = Math.floor(turns.length / 2)
  const checks: EndpointCheck[] = []
  for (let at = start; at < start + dayMs; at += 15 * minuteMs) {
    checks.push(isUp(at) ? good(at) : failed(at))
    if (!isUp(at)) checks.push(isUp(at + 30_000) ? good(at + 30_000) : failed(at + 30_000))
  }
  const { types } = judged(checks)
  const downs = types.filter(type => type === down).length
  expect(downs).toBeGreaterThan(0)
  expect(downs).toBeLessThanOrEqual(outages)
  expect(types.filter(type => type === up).length).toBeLessThanOrEqual(downs)
})
