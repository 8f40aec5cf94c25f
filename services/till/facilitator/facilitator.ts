/** Calls the facilitator over HTTP. Its words never leave the till: they become our own outcomes and codes. */
import { metrics } from '../../../pipelines/rails/metrics.ts'
import { traced, traceparent } from '../../../pipelines/rails/tracing/tracing.ts'
import { type CdpKey, cdpTokens } from './cdp-key.ts'
import type { Leave } from './connection-line.ts'
import { Connections } from './connections.ts'
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
import { failed, send } from './request.ts'

export interface FacilitatorOptions {
  url: string
  token?: string | undefined
  cdpKey?: CdpKey | undefined
  now: () => number
  /** The most connections of each network. */
  connections: number
  timeoutsMs?: Partial<typeof timeouts> | undefined
}

const timeouts = { supported: 3000, verify: 8000, settle: 45_000 }
const noConnection = 'NO_CONNECTION'
/** The call never left this machine, so nobody has seen the payment. */
const neverSent = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'],
  noConnection,
])
/** The till asks of what it supports beside all sales. */
const ofNone = { network: '', payer: '' }

interface Settling {
  timeoutMs?: number | undefined
  /** A turn that was taken before. It ends with the call. */
  turn?: Leave | undefined
}

interface Asked {
  call: keyof typeof timeouts
  method: 'GET' | 'POST'
  body: string | null
}

export class Facilitator {
  readonly #open: () => Connections
  /** By network, so that a slow one takes no connection of another. */
  readonly #connections = new Map<string, Connections>()
  readonly #prefix: string
  readonly #authorization: (method: string, path: string) => string | undefined
  readonly #timeoutsMs: typeof timeouts

  constructor({ url, token, cdpKey, now, connections, timeoutsMs }: FacilitatorOptions) {
    const { origin, host, pathname } = new URL(url)
    this.#prefix = pathname.replace(/\/+$/, '')
    this.#timeoutsMs = { ...timeouts, ...timeoutsMs }
    this.#open = () => new Connections(origin, connections)
    const cdp = cdpKey && cdpTokens(cdpKey, host, now)
    this.#authorization = (method, path) => {
      const bearer = cdp ? cdp(method, path) : token
      return bearer && `Bearer ${bearer}`
    }
  }

  /**
   * Waits for a connection of the network, if none is free. Gives what ends the turn; `settle` ends it, too. Undefined if that takes
   * too long.
   */
  turn({ network, payer }: Expected, waitMs: number): Leave | Promise<Leave | undefined> {
    return this.#of(network).line.take(payer, waitMs)
  }

  /** Rejects without a usable answer. */
  async supported(): Promise<Supported> {
    return readSupported(await this.#inTurn({ call: 'supported', method: 'GET', body: null }, ofNone))
  }

  async verify(request: string, expected: Expected): Promise<VerifyReply> {
    const reply = await this.#traced('verify', request, expected).catch(unheard)
    return 'error' in reply ? { outcome: 'unavailable', reason: reply.code } : readVerified(reply, expected)
  }

  /** Without a clear yes or no the outcome is unknown, because the money may have moved. */
  async settle(request: string, expected: Expected, settling: Settling = {}): Promise<SettleReply> {
    const reply = await this.#traced('settle', request, expected, settling).catch(unheard)
    if (!('error' in reply)) return readSettled(reply, expected)
    return neverSent.has(reply.code)
      ? { outcome: 'failed', code: 'facilitator_unavailable', reason: reply.code }
      : { outcome: 'unknown', reason: reply.code }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#connections.values()].map(connections => connections.close()))
  }

  #of(network: string): Connections {
    const connections = this.#connections.get(network) ?? this.#open()
    this.#connections.set(network, connections)
    return connections
  }

  #traced(call: 'verify' | 'settle', body: string, expected: Expected, settling?: Settling): Promise<Reply> {
    return traced(call, () => this.#inTurn({ call, method: 'POST', body }, expected, settling), {
      kind: 'client',
    })
  }

  async #inTurn(asked: Asked, expected: Expected, settling: Settling = {}): Promise<Reply> {
    const timeoutMs = Math.min(settling.timeoutMs ?? Number.POSITIVE_INFINITY, this.#timeoutsMs[asked.call])
    const startedAt = performance.now()
    const leave = settling.turn ?? (await this.turn(expected, timeoutMs))
    if (!leave) throw failed(noConnection)
    try {
      const leftMs = timeoutMs - (performance.now() - startedAt)
      return await this.#send(this.#of(expected.network), asked, leftMs)
    } finally {
      leave()
    }
  }

  async #send({ pool }: Connections, { call, method, body }: Asked, timeoutMs: number): Promise<Reply> {
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
      const reply = await send(pool, { path, method, headers, body }, timeoutMs)
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
