/** The meaning of one answer of an endpoint. */
import type { EndpointCheck } from '../../../schemas/endpoint-checks.ts'
import { instant } from '../../../schemas/values/values.ts'
import { NotPublic, type VisitFailed } from '../../rails/outside/fetching/visit-failures.ts'
import type { ProbeSeen } from '../x402/quote-probe.ts'
import { rowOf } from './url.ts'

type Said = Pick<EndpointCheck, 'verdict' | 'problem'>

export const checkOf = (url: string, seen: ProbeSeen, at: number, again: boolean): EndpointCheck => ({
  ...rowOf(url),
  at: instant(at),
  ...said(seen),
  status: seen.status ?? null,
  latency_ms: seen.latencyMs ?? null,
  price_usd: seen.quotes.price_usd,
  offers: seen.offers,
  again,
})

function said({ status, failure, offers }: ProbeSeen): Said {
  if (failure) return unanswered(failure)
  if (status === 402) return offers.length ? { verdict: 'good', problem: null } : failed('nothing_payable')
  // The endpoint asks for patience. That says nothing about its treatment of a buyer.
  if (status === 429) return { verdict: 'unknown', problem: 'throttled' }
  if (status !== undefined && status < 300) return failed('unpaywalled')
  if (status === 404 || status === 410) return failed('not_found')
  return failed(status !== undefined && status >= 500 ? 'server_error' : 'refused')
}

const failed = (problem: string): Said => ({ verdict: 'failed', problem })

/** Our own resolver does not answer. A name that does not exist is the seller's failure. */
const ownDns = /: (ECONNREFUSED|ETIMEOUT|ECANCELLED|EREFUSED)$/

function unanswered(failure: VisitFailed | NotPublic): Said {
  if (failure instanceof NotPublic) return failed('not_public')
  if (failure.reason === 'dns' && ownDns.test(failure.message)) return ownTrouble
  return failed(failure.reason)
}

export const ownTrouble: Said = { verdict: 'unknown', problem: 'own_trouble' }

/** Failures that our own network could cause. */
export const isOfNetwork = ({ problem }: Said): boolean =>
  ['dns', 'connection', 'timeout', 'tls', 'own_trouble'].includes(problem ?? '')
