/** Calls one facilitator over HTTP. Its words never leave the till: they become our own outcomes and codes. */
import { metrics } from '../../../pipelines/rails/metrics.ts'
import { exchange, failed } from '../../../pipelines/rails/outside/fetching/exchange.ts'
import { traced, traceparent } from '../../../pipelines/rails/tracing/tracing.ts'
import type { FacilitatorAddress } from './addresses.ts'
import { cdpTokens } from './cdp-key.ts'
import type { Leave } from './connection-line.ts'
import { Connections } from './connections.ts'
import {
  type Expected,
  mostReplyBytes,
  type Reply,
  readSettled,
  readSupported,
  readVerified,
  replyOf,
  type SettleReply,
  type Supported,
  type VerifyReply,
} from './reply.ts'

export interface FacilitatorOptions extends Omit<FacilitatorAddress, 'places'> {
  /** Its name in metrics. Its host if absent. */
  name?: string
  now: () => number
  /** The most connections of each network. */
  connections: number
  timeoutsMs?: Partial<typeof timeouts> | undefined
}

export const timeouts = { supported: 3000, verify: 8000, settle: 45_000 }
export const noConnection = 'NO_CONNECTION'
/** The call never left this machine, so nobody has seen the payment. */
const neverSent = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'],
  noConnection,
])
/** The till asks of what it supports beside all sales. */
const ofNone = { network: '', payer: '' }

export interface CallPatience {
  timeoutMs?: number | undefined
  /** A turn that was taken before. It ends with the call. */
  turn?: Leave | undefined
}

/** What the reply says beside the payment. */
interface Beside {
  extensions?: string | undefined
}

interface Asked {
  call: keyof typeof timeouts
  method: 'GET' | 'POST'
  body: string | null
}

export class Facilitator {
  readonly name: string
  readonly #open: () => Connections
  /** By network, so that a slow one takes no connection of another. */
  readonly #connections = new Map<string, Connections>()
  readonly #prefix: string
  readonly #authorization: (method: string, path: string) => string | undefined
  readonly #timeoutsMs: typeof timeouts

  constructor({ url, name, token, cdpKey, now, connections, timeoutsMs }: FacilitatorOptions) {
    const { origin, host, pathname } = new URL(url)
    this.name = name ?? host
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
  async supported(timeoutMs?: number): Promise<Supported> {
    const asked = { call: 'supported', method: 'GET', body: null } as const
    return readSupported(await this.#inTurn(asked, ofNone, { timeoutMs }))
  }

  async verify(
    request: string,
    expected: Expected,
    patience: CallPatience = {},
  ): Promise<VerifyReply & Beside> {
    const reply = await this.#traced('verify', request, expected, patience).catch(unheard)
    return 'error' in reply
      ? { outcome: 'unavailable', reason: reply.code, isFault: reply.code !== noConnection }
      : { ...readVerified(reply, expected), extensions: reply.extensions }
  }

  /** Without a clear yes or no the outcome is unknown, because the money may have moved. */
  async settle(
    request: string,
    expected: Expected,
    patience: CallPatience = {},
  ): Promise<SettleReply & Beside> {
    const reply = await this.#traced('settle', request, expected, patience).catch(unheard)
    if (!('error' in reply)) return { ...readSettled(reply, expected), extensions: reply.extensions }
    const { code: reason } = reply
    const isFault = reason !== noConnection
    return neverSent.has(reason)
      ? { outcome: 'failed', code: 'facilitator_unavailable', reason, isFault }
      : { outcome: 'unknown', reason, isFault }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#connections.values()].map(connections => connections.close()))
  }

  #of(network: string): Connections {
    const connections = this.#connections.get(network) ?? this.#open()
    this.#connections.set(network, connections)
    return connections
  }

  #traced(
    call: 'verify' | 'settle',
    body: string,
    expected: Expected,
    patience: CallPatience,
  ): Promise<Reply> {
    const work = () => this.#inTurn({ call, method: 'POST', body }, expected, patience)
    return traced(call, work, { kind: 'client' })
  }

  async #inTurn(asked: Asked, expected: Expected, patience: CallPatience): Promise<Reply> {
    const timeoutMs = Math.min(patience.timeoutMs ?? Number.POSITIVE_INFINITY, this.#timeoutsMs[asked.call])
    const startedAt = performance.now()
    const leave = patience.turn ?? (await this.turn(expected, timeoutMs))
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
      const bounds = { mostBytes: mostReplyBytes, timeoutMs }
      const reply = replyOf(await exchange(pool, { path, method, headers, body }, bounds))
      outcome = statusOf(reply)
      return reply
    } finally {
      const labels = { call, outcome, facilitator: this.name }
      metrics.facilitatorSeconds.observe(labels, (performance.now() - startedAt) / 1000)
    }
  }
}

/** A facilitator may answer any number. Those that none of them uses are one. */
const usual = new Set([200, 400, 401, 402, 403, 404, 408, 409, 422, 429, 500, 502, 503, 504])
const statusOf = ({ status }: Reply): string => (usual.has(status) ? String(status) : 'other')

const unheard = (error: { code?: string; cause?: { code?: string } }) => ({
  error,
  code: error.code ?? error.cause?.code ?? 'SILENT',
})
