/** Asking EDGAR: within the budget, and no more at all once it says that it was too much. */

import { UpstreamRefused } from '../../failures.ts'
import type { Answer, Outside, Request, Validators } from '../../outside/outside.ts'
import { type Budget, budgetOf, forgivenMs, type Turn } from './budget.ts'

export interface Asking extends Omit<Request, 'proof'>, Turn {
  /** A status by which this document says that it is not there. */
  missing?: number
}

const timeoutMs = 30_000

/** Undefined: EDGAR has no such document. */
export async function askEdgar(
  outside: Outside,
  url: string,
  asking: Asking = {},
): Promise<Answer | undefined> {
  const { urgent, missing, ...request } = asking
  const budget = budgetOf(outside)
  await budget.turn(outside.signal, { urgent })
  const answer = await outside.get(url, { timeoutMs, ...request, proof: () => true })
  if (answer.unchanged || (answer.status >= 200 && answer.status < 300)) return answer
  const refused = new UpstreamRefused(url, answer.status, answer.header('retry-after'), answer.text())
  if (refused.status === missing || isMissing(refused)) return undefined
  heed(refused, budget, outside.now())
  throw refused
}

export async function downloadFromEdgar(
  outside: Outside,
  url: string,
  request: Parameters<Outside['download']>[1],
): Promise<Validators> {
  const budget = budgetOf(outside)
  await budget.turn(outside.signal)
  try {
    return await outside.download(url, request)
  } catch (error) {
    if (error instanceof UpstreamRefused) heed(error, budget, outside.now())
    throw error
  }
}

/** The file store behind EDGAR says 403 of what is not there; the gate before it says 403 of who may not ask. */
const isMissing = ({ status, body }: UpstreamRefused): boolean =>
  status === 404 || (status === 403 && /<Code>(AccessDenied|NoSuchKey)<\/Code>/.test(body))

function heed({ status, retryAfter }: UpstreamRefused, budget: Budget, now: number): void {
  if (status === 403) budget.shut(forgivenMs)
  if (status === 429) budget.shut(waitOf(retryAfter, now) ?? forgivenMs)
}

function waitOf(retryAfter: string | undefined, now: number): number | undefined {
  if (retryAfter === undefined) return undefined
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - now
  return Number.isNaN(ms) || ms < 0 ? undefined : ms
}
