/**
 * Decides from a sequence of checks which state an endpoint has, and which events its subscribers get. The same
 * checks always give the same events, so a check that is judged again after a crash adds nothing.
 */
import type { EndpointCheck } from '../../../schemas/endpoint-checks.ts'
import type { EndpointChange, EndpointState } from '../../../schemas/endpoint-states.ts'
import { type Offer, pricesOf } from '../../../schemas/values/offers.ts'
import { judgePayees } from './payees.ts'

interface Verdict {
  state: EndpointState
  changes: EndpointChange[]
}

const dayMs = 86_400_000
/** After this many changes of its prices in 24 hours, subscribers get one summary a day. A payee is always told. */
const mostChanges = 3
const mostRemembered = 50
const keptDays = 30
const keptLatencies = 32
/** An event must stay below 20 KB, and evidence shows up to three quotes. */
const shownOffers = 8

export function judge(before: EndpointState | undefined, check: EndpointCheck): Verdict {
  if (before && check.at <= before.checked_at) return { state: before, changes: [] }
  const known = before ?? unseen(check)
  const counted = { ...known, checked_at: check.at, ...countedIn(known, check) }
  if (check.verdict === 'unknown') return { state: atALoss(counted, check), changes: [] }
  if (check.verdict === 'failed') return failed(counted, check)
  return good(counted, check)
}

const unseen = ({ endpoint, url, host, at }: EndpointCheck): EndpointState => ({
  endpoint,
  url,
  host,
  state: 'up',
  since: at,
  told: 'up',
  checked_at: at,
  problem: null,
  failing_since: null,
  price_usd: null,
  offers: [],
  unsure: [],
  unsure_at: null,
  changed_at: [],
  summed_at: null,
  payees: [],
  paid: [],
  payees_vary: false,
  days: [],
  latencies: [],
})

/** The failure is ours. Subscribers hear nothing, and earlier failures no longer count. */
function atALoss(state: EndpointState, { problem, at }: EndpointCheck): EndpointState {
  if (problem !== 'own_trouble') return state
  return {
    ...state,
    failing_since: null,
    problem,
    state: 'unknown',
    since: state.state === 'unknown' ? state.since : at,
  }
}

/** One lost packet does not count as an outage: it takes two failures in a row. */
function failed(state: EndpointState, check: EndpointCheck): Verdict {
  const { problem, at } = check
  const since = state.failing_since ?? at
  const failing = { ...state, failing_since: since, problem }
  if (state.failing_since === null) return { state: failing, changes: [] }
  const down = { ...failing, state: 'down' as const, since: state.state === 'down' ? state.since : since }
  if (state.told === 'down') return { state: down, changes: [] }
  const first = { at: since, verdict: 'failed', problem: state.problem }
  const change = changeOf(check, 'endpoint.down', { state: 'up' }, { state: 'down', since, problem }, [
    first,
    seenIn(check),
  ])
  return { state: { ...down, told: 'down' }, changes: [change] }
}

function good(state: EndpointState, check: EndpointCheck): Verdict {
  const { at } = check
  const isBack = state.state !== 'up'
  const up: EndpointState = {
    ...state,
    failing_since: null,
    problem: null,
    state: 'up',
    since: isBack ? at : state.since,
    told: 'up',
  }
  const recovered =
    state.told === 'down'
      ? [
          changeOf(
            check,
            'endpoint.recovered',
            { state: 'down', since: state.since, problem: state.problem },
            { state: 'up', since: at },
            [seenIn(check)],
          ),
        ]
      : []
  const quoted = quote(up, check)
  return { state: quoted.state, changes: [...recovered, ...quoted.changes] }
}

/** Price and payees are judged apart, so that a change of one hides none of the other. */
function quote(state: EndpointState, check: EndpointCheck): Verdict {
  const payees = judgePayees(state, check)
  const prices = judgePrices(state, check)
  const told = payees.told ? [payeeChange(state, check, payees.told)] : []
  const { unsure_at } = prices.state
  const isDoubted = payees.state.payees.some(
    ({ stands, missed, at }) => missed || (!stands && at === check.at),
  )
  const doubt = unsure_at === null && isDoubted ? { unsure: check.offers, unsure_at: check.at } : {}
  return { state: { ...prices.state, ...payees.state, ...doubt }, changes: [...told, ...prices.changes] }
}

/** Two checks in a row must agree on a price. */
function judgePrices(state: EndpointState, check: EndpointCheck): Verdict {
  const { at, offers, price_usd } = check
  const same = (one: readonly Offer[], other: readonly Offer[]) => pricesOf(one) === pricesOf(other)
  const lately = state.changed_at.filter(moment => Date.parse(at) - Date.parse(moment) < dayMs)
  const rested = { ...state, changed_at: lately, summed_at: lately.length ? state.summed_at : null }
  const settled = { ...rested, unsure: [], unsure_at: null }
  if (!state.offers.length || same(state.offers, offers))
    return { state: { ...settled, offers, price_usd }, changes: [] }
  const isDoubted = state.unsure_at !== null && !same(state.unsure, state.offers)
  const isConfirmed = isDoubted && same(state.unsure, offers)
  if (!isDoubted && state.summed_at === null)
    return { state: { ...rested, unsure: offers, unsure_at: at }, changes: [] }

  const changed: EndpointState = {
    ...rested,
    changed_at: [...lately, at].slice(-mostRemembered),
    ...(isConfirmed || state.summed_at !== null
      ? { offers, price_usd, unsure: [], unsure_at: null }
      : { unsure: offers, unsure_at: at }),
  }
  const isDynamic = changed.changed_at.length >= mostChanges
  const dynamic = { changes_24h: changed.changed_at.length, dynamic: true }
  if (state.summed_at !== null) {
    const isDue = Date.parse(at) - Date.parse(state.summed_at) >= dayMs
    return isDue
      ? {
          state: { ...changed, summed_at: at },
          changes: [priceChange(changed, check, state.offers, dynamic)],
        }
      : { state: changed, changes: [] }
  }
  const next = isDynamic ? { ...changed, summed_at: at } : changed
  if (!isConfirmed && !isDynamic) return { state: next, changes: [] }
  return { state: next, changes: [priceChange(state, check, state.offers, isDynamic ? dynamic : {})] }
}

const priceChange = (state: EndpointState, check: EndpointCheck, before: readonly Offer[], more: object) =>
  changeOf(
    check,
    'endpoint.price_changed',
    { offers: shown(before) },
    { offers: shown(check.offers), ...more },
    [...doubtOf(state), seenIn(check)],
  )

type ToldPayees = NonNullable<ReturnType<typeof judgePayees>['told']>

function payeeChange(state: EndpointState, check: EndpointCheck, { before, first, vary }: ToldPayees) {
  const doubt = doubtOf(state)
  // The check between has seen another quote, so only the time of the first sight is known.
  const earlier = doubt.length || first === null ? doubt : [{ at: first, verdict: 'good' }]
  return changeOf(
    check,
    'endpoint.payee_changed',
    { offers: shown(before) },
    { offers: shown(check.offers), ...(vary && { dynamic: true }) },
    [...earlier, seenIn(check)],
  )
}

const doubtOf = ({ unsure_at, unsure }: EndpointState) =>
  unsure_at === null ? [] : [{ at: unsure_at, verdict: 'good', offers: shown(unsure) }]

const shown = (offers: readonly Offer[]): readonly Offer[] => offers.slice(0, shownOffers)

const seenIn = ({ at, verdict, problem, status, latency_ms, offers }: EndpointCheck) => ({
  at,
  verdict,
  problem,
  status,
  latency_ms,
  offers: shown(offers),
})

const changeOf = (
  { endpoint, url, host, at }: EndpointCheck,
  type: EndpointChange['type'],
  before: object,
  after: object,
  evidence: readonly object[],
): EndpointChange => ({
  endpoint,
  url,
  host,
  at,
  type,
  before: JSON.stringify(before),
  after: JSON.stringify(after),
  evidence: JSON.stringify(evidence),
})

function countedIn({ days, latencies }: EndpointState, { at, verdict, latency_ms }: EndpointCheck) {
  if (verdict === 'unknown') return { days, latencies }
  const today = at.slice(0, 10)
  const last = days.at(-1)
  const { checks, good } = last?.day === today ? last : { checks: 0, good: 0 }
  const isGood = verdict === 'good'
  const now = { day: today, checks: checks + 1, good: good + (isGood ? 1 : 0) }
  return {
    days: [...(last?.day === today ? days.slice(0, -1) : days), now].slice(-keptDays),
    latencies: isGood && latency_ms !== null ? [...latencies, latency_ms].slice(-keptLatencies) : latencies,
  }
}
