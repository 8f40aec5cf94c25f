/** One attempt: posts a signed event to a webhook, by the rules for public addresses, and reports the result. */
import type { WebhookDelivery } from '../../../schemas/webhooks.ts'
import type { PublicFetch, Visited } from '../outside/fetching/visit.ts'
import { NotPublic, VisitFailed } from '../outside/fetching/visit-failures.ts'
import { type Signing, webhookHeaders } from './signature.ts'

export interface Hook {
  url: string
  secrets: readonly Buffer[]
}

export interface Letter extends Hook {
  body: string
}

export interface Posted {
  outcome: WebhookDelivery['outcome']
  status: number | null
  tookMs: number
  /** Why no answer came, as one word. */
  problem: string | null
  /** The receiver asks us to wait for this time. */
  retryAfterMs: number | undefined
}

const limits = { redirects: 0, maxBytes: 64 << 10, beyond: 'cut' } as const
const asksForPatience = [429, 502, 503, 504]
const mostPatienceMs = 86_400_000

export async function post(
  visits: PublicFetch,
  { url, secrets, body }: Letter,
  { signal, totalMs = 15_000, now, ...signing }: Pick<Signing, 'id' | 'sign'> & PostOptions,
): Promise<Posted> {
  const startedAt = performance.now()
  const ended = (posted: Omit<Posted, 'tookMs'>): Posted => ({
    ...posted,
    tookMs: Math.round(performance.now() - startedAt),
  })
  const headers = webhookHeaders({ ...signing, body, secrets, at: now() })
  try {
    const visited = await visits.visit(url, {
      ...limits,
      method: 'POST',
      body,
      headers,
      totalMs,
      firstByteMs: totalMs,
      signal,
    })
    return ended(read(visited, now()))
  } catch (error) {
    if (signal.aborted || !(error instanceof VisitFailed || error instanceof NotPublic)) throw error
    const problem = error instanceof NotPublic ? 'not_public' : error.reason
    return ended({ outcome: 'failed', status: null, problem, retryAfterMs: undefined })
  }
}

interface PostOptions {
  signal: AbortSignal
  totalMs?: number
  now: () => number
}

function read({ status, headers }: Pick<Visited, 'status' | 'headers'>, now: number): Omit<Posted, 'tookMs'> {
  const answer = { status, problem: null, retryAfterMs: undefined }
  if (status >= 200 && status < 300) return { ...answer, outcome: 'delivered' }
  if (status === 410) return { ...answer, outcome: 'gone' }
  const patience = asksForPatience.includes(status) ? retryAfter(headers['retry-after'], now) : undefined
  return { ...answer, outcome: 'failed', retryAfterMs: patience }
}

/** Reads the header: a number of seconds, or a date. */
function retryAfter(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined
  const ms = /^\d+$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - now
  return ms > 0 ? Math.min(ms, mostPatienceMs) : undefined
}
