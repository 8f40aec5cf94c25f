/**
 * Judges the payees of an endpoint, each by itself and apart from its price: whoever changes prices all day, or quotes a fresh
 * address for each call, cannot hide another payee among his changes.
 */
import type { EndpointCheck } from '../../../schemas/endpoint-checks.ts'
import type { EndpointState } from '../../../schemas/endpoint-states.ts'
import type { Offer } from '../../../schemas/values/offers.ts'

type SeenPayee = EndpointState['payees'][number]
type PayeeState = Pick<EndpointState, 'payees' | 'paid' | 'payees_vary'>

interface PayeeVerdict {
  state: PayeeState
  /** The offers before, and what was seen of a payee that is new now. Undefined if nothing is to be told. */
  told?: { before: readonly Offer[]; first: string | null; vary: boolean }
}

const dayMs = 86_400_000
/** A quote has at most 20 offers, so those of the last two checks are always among them. */
const mostDoubted = 40

/** The payees that two checks have seen. A state of an older release has them in its offers alone. */
export const standingPayees = (state: EndpointState): SeenPayee[] =>
  payeesIn(state).filter(({ stands }) => stands)

/** Whether another check should follow at once. Who quotes a fresh payee for each call is not asked twice each time. */
export function isPayeeNews(state: EndpointState, offers: readonly Offer[]): boolean {
  const standing = new Set(standingPayees(state).map(nameOf))
  const now = new Set(offers.map(nameOf))
  return !standing.isSubsetOf(now) || (!state.payees_vary && !now.isSubsetOf(standing))
}

const payeesIn = ({ payees, offers, checked_at: at }: EndpointState): SeenPayee[] =>
  payees.length
    ? payees
    : [...new Map(offers.map(offer => [nameOf(offer), offer])).values()].map(offer => standing(offer, at))

const standing = ({ network, pay_to }: Offer, at: string): SeenPayee => ({
  network,
  pay_to,
  at,
  stands: true,
  missed: false,
})

const nameOf = ({ network, pay_to }: Pick<Offer, 'network' | 'pay_to'>) => `${network} ${pay_to}`

/**
 * A payee is new when a second check sees it within a day, whatever the check between saw, and gone when two checks in a row
 * do not see it. Where every check sees another one, this is told once, until they rest.
 */
export function judgePayees(state: EndpointState, { at, offers }: EndpointCheck): PayeeVerdict {
  const now = new Map(offers.map(offer => [nameOf(offer), offer]))
  const seenAt = (name: string) => standing(now.get(name) as Offer, at)
  const before = payeesIn(state)
  if (!before.length)
    return { state: { payees: [...now.keys()].map(seenAt), paid: [...offers], payees_vary: false } }
  const paidBefore = state.paid.length ? state.paid : state.offers
  const known = before.filter(({ stands }) => stands)
  const doubted = before.filter(
    ({ stands, at: seen }) => !stands && Date.parse(at) - Date.parse(seen) < dayMs,
  )
  const knows = (list: readonly SeenPayee[], name: string) => list.some(each => nameOf(each) === name)
  const strange = [...now.keys()].filter(name => !knows(known, name))
  const come = strange.filter(name => knows(doubted, name))
  const gone = known.filter(payee => payee.missed && !now.has(nameOf(payee)))
  const newest = before.reduce((last, { at: seen }) => (seen > last ? seen : last), '')
  const isFirstDoubt = !doubted.some(({ at: seen }) => seen === newest)
  const vary = strange.length > come.length && (state.payees_vary || !isFirstDoubt)
  const kept = known.filter(payee => !gone.includes(payee))
  const standingNow = [
    ...kept.map(payee => (now.has(nameOf(payee)) ? seenAt(nameOf(payee)) : { ...payee, missed: true })),
    ...come.map(seenAt),
  ]
  const doubtedNow = [
    ...doubted.filter(payee => !now.has(nameOf(payee))),
    ...strange.filter(name => !come.includes(name)).map(name => ({ ...seenAt(name), stands: false })),
  ].slice(-mostDoubted)
  const payees = [...standingNow, ...doubtedNow]
  const isTold = come.length > 0 || gone.length > 0 || (vary && !state.payees_vary)
  const isCalm = strange.length === come.length && payees.every(({ missed }) => !missed)
  const next: PayeeState = { payees, paid: isTold || isCalm ? [...offers] : paidBefore, payees_vary: vary }
  if (!isTold) return { state: next }
  const first = doubted.find(payee => come.includes(nameOf(payee)))?.at ?? null
  return { state: next, told: { before: paidBefore, first, vary } }
}
