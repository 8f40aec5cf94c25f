/** Calls the facilitator over HTTP. Its words never leave the till: they become our own outcomes and codes. */
import { Pool } from 'undici'
import { metrics } from '../../../pipelines/rails/metrics.ts'
import { traced, traceparent } from '../../../pipelines/rails/tracing/tracing.ts'
import { type CdpKey, cdpTokens } from './cdp-key.ts'
import {
  type Expected,
  type Reply,
  readSettled,
  readSupported,
  readVerified,
  type SettleReply,
  type Supported,
  type VerifyReply,
} from './reply.ts'
import { send } from './request.ts'

export interface FacilitatorOptions {
  url: string
  token?: string | undefined
  cdpKey?: CdpKey | undefined
  now: () => number
  timeoutsMs?: Partial<typeof timeouts> | undefined
}

const timeouts = { supported: 3000, verify: 8000, settle: 45_000 }
/** The call never left this machine, so nobody has seen the payment. */
const neverSent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'])

export class Facilitator {
  readonly #pool: Pool
  readonly #prefix: string
  readonly #authorization: (method: string, path: string) => string | undefined
  readonly #timeoutsMs: typeof timeouts

  constructor({ url, token, cdpKey, now, timeoutsMs }: FacilitatorOptions) {
    const { origin, host, pathname } = new URL(url)
    this.#prefix = pathname.replace(/\/+$/, '')
    this.#timeoutsMs = { ...timeouts, ...timeoutsMs }
    this.#pool = new Pool(origin, {
      connections: 256,
      keepAliveTimeout: 30_000,
      connect: { timeout: 3000 },
    })
    const cdp = cdpKey && cdpTokens(cdpKey, host, now)
    this.#authorization = (method, path) => {
      const bearer = cdp ? cdp(method, path) : token
      return bearer && `Bearer ${bearer}`
    }
  }

  /** Rejects without a usable answer. */
  async supported(): Promise<Supported> {
    return readSupported(await this.#call('supported', 'GET'))
  }

  async verify(request: string, expected: Expected): Promise<VerifyReply> {
    const reply = await this.#traced('verify', request).catch(unheard)
    return 'error' in reply ? { outcome: 'unavailable', reason: reply.code } : readVerified(reply, expected)
  }

  /** Without a clear yes or no the outcome is unknown, because the money may have moved. */
  async settle(request: string, expected: Expected, timeoutMs?: number): Promise<SettleReply> {
    const reply = await this.#traced('settle', request, timeoutMs).catch(unheard)
    if (!('error' in reply)) return readSettled(reply, expected)
    return neverSent.has(reply.code)
      ? { outcome: 'failed', code: 'facilitator_unavailable', reason: reply.code }
      : { outcome: 'unknown', reason: reply.code }
  }

  close(): Promise<void> {
    return this.#pool.destroy()
  }

  #traced(call: 'verify' | 'settle', request: string, timeoutMs?: number): Promise<Reply> {
    return traced(call, () => this.#call(call, 'POST', request, timeoutMs), { kind: 'client' })
  }

  async #call(
    call: keyof typeof timeouts,
    method: 'GET' | 'POST',
    body: string | null = null,
    atMostMs = Number.POSITIVE_INFINITY,
  ): Promise<Reply> {
    const path = `${this.#prefix}/${call}`
    const authorization = this.#authorization(method, path)
    const trace = traceparent()
    const headers = {
      accept: 'application/json',
      'content-type': 'application/json',
      ...(authorization ? { authorization } : {}),
      ...(trace === undefined ? {} : { traceparent: trace }),
    }
    const startedAt = performance.now()
    let outcome = 'silent'
    try {
      const request = { path, method, headers, body }
      const reply = await send(this.#pool, request, Math.min(atMostMs, this.#timeoutsMs[call]))
      outcome = String(reply.status)
      return reply
    } finally {
      metrics.facilitatorSeconds.observe({ call, outcome }, (performance.now() - startedAt) / 1000)
    }
  }
}

const unheard = (error: { code?: string; cause?: { code?: string } }) => ({
  error,
  code: error.code ?? error.cause?.code ?? 'SILENT',
})
