/** Free: the public record of a watched endpoint. It names no subscriber and no webhook. */
import { z } from 'zod'
import { desk } from '../../../../pipelines/domains/watch/desk.ts'
import { standingPayees } from '../../../../pipelines/domains/watch/payees.ts'
import { nextSlot } from '../../../../pipelines/domains/watch/rounds.ts'
import { endpointOf } from '../../../../pipelines/domains/watch/url.ts'
import {
  changeType,
  type EndpointState,
  endpointHistory,
  endpointNow,
} from '../../../../schemas/endpoint-states.ts'
import { exact, instant } from '../../../../schemas/values/values.ts'
import { subscriptionNow } from '../../../../schemas/watch-subscriptions.ts'
import { number } from '../../../offer/answer.ts'
import { defineFree, type Tools } from '../../../offer/operation.ts'
import { shopPayee, shopUrl } from '../examples.ts'
import { price, urlAsked, urlOf } from '../quoted.ts'
import { type Payee, payeeShape, payeesIn, text } from './endpoint.ts'

const anything = z.unknown()

export const weighStatus = defineFree({
  id: 'weighStatus',
  path: '/weigh/status',
  method: 'GET',
  perMinute: 60,
  title: 'The public record of a watched endpoint',
  about:
    'Is it up, since when, its uptime over 30 days, its price and payees, and its newest changes with the evidence of each. It names no subscriber and no webhook.',
  tags: ['x402', 'monitoring', 'uptime'],
  request: z.strictObject({ url: urlAsked }),
  response: z.strictObject({
    url: text,
    watched_until: text.nullable().describe('null: nobody watches it any more'),
    state: z.enum(['up', 'down', 'unknown']),
    since: text,
    problem: text.nullable().describe('Why it is not up'),
    uptime_30d_pct: exact().nullable().describe('Of the checks that could tell'),
    checks_30d: z.int(),
    latency_ms_p50: z.int().nullable().describe('Of its newest good checks'),
    price_usd: exact().nullable(),
    payees: z.array(payeeShape),
    dynamic: z
      .boolean()
      .describe('Its prices change so often that one event a day sums up; a payee is always told'),
    history: z.array(
      z.strictObject({ at: text, type: changeType, before: anything, after: anything, evidence: anything }),
    ),
    checked_at: text,
    next_check_at: text.nullable(),
  }),
  refusals: {
    invalid_url: { status: 400, about: 'The URL is malformed or not public' },
    not_watched: { status: 422, about: 'Nobody has ever subscribed to it' },
  },
  example: {
    request: { url: shopUrl },
    response: {
      url: shopUrl,
      watched_until: '2026-12-16T09:00:00.000Z',
      state: 'up',
      since: '2026-11-16T09:00:00.000Z',
      problem: null,
      uptime_30d_pct: 100,
      checks_30d: 96,
      latency_ms_p50: 91,
      price_usd: 0.002,
      payees: [shopPayee],
      dynamic: false,
      history: [],
      checked_at: '2026-11-17T08:52:11.000Z',
      next_check_at: '2026-11-17T09:07:11.000Z',
    },
  },
  async answer({ url: typed }, tools, refuse) {
    const url = urlOf(typed, message => refuse('invalid_url', message))
    const endpoint = endpointOf(url)
    const state = tools.view(endpointNow, undefined).get(endpoint)
    if (!state) return refuse('not_watched', 'Nobody has ever subscribed to it')
    const until = watchedUntil(url, tools)
    const checks = state.days.reduce((sum, day) => sum + day.checks, 0)
    const good = state.days.reduce((sum, day) => sum + day.good, 0)
    const latencies = state.latencies.toSorted((a, b) => a - b)
    const history = await tools.lookAll(endpointHistory, endpoint)
    return {
      url,
      watched_until: until,
      state: state.state,
      since: state.since,
      problem: state.problem,
      uptime_30d_pct: checks ? number(((100 * good) / checks).toFixed(2)) : null,
      checks_30d: checks,
      latency_ms_p50: latencies[latencies.length >> 1] ?? null,
      price_usd: price(state.price_usd),
      payees: payeesOf(state),
      dynamic: state.summed_at !== null,
      history: history.map(({ at, type, before, after, evidence }) => ({
        at,
        type,
        before: JSON.parse(before) as unknown,
        after: JSON.parse(after) as unknown,
        evidence: JSON.parse(evidence) as unknown,
      })),
      checked_at: state.checked_at,
      next_check_at:
        until === null ? null : instant(nextSlot(endpoint, tools.now(), tools.use(desk)?.rhythm?.everyMs)),
    }
  },
})

/** A seller who quotes a fresh payee for each call has no standing payee. Then these are the payees of the newest quote. */
function payeesOf(state: EndpointState): Payee[] {
  const standing = standingPayees(state).map(({ network, pay_to }) => ({ network, address: pay_to }))
  return standing.length ? standing : payeesIn(state.offers)
}

function watchedUntil(url: string, { view, now }: Pick<Tools, 'view' | 'now'>): string | null {
  const held = view(subscriptionNow, undefined)
  const ends = held.once('ends', () => {
    const ends = new Map<string, string>()
    for (const { what, subject, expires_at } of held.rows())
      if (what === 'endpoint' && expires_at > (ends.get(subject) ?? '')) ends.set(subject, expires_at)
    return { value: ends }
  })
  const end = ends.get(url)
  return end !== undefined && Date.parse(end) > now() ? end : null
}
