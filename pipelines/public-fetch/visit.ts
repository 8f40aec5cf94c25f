/** The only way to a URL that a caller gave: a bounded request of a public address, each redirect checked anew. */
import type { IncomingHttpHeaders } from 'node:http'
import { type AddressRules, hostOf, portOf, publicAddresses, readPublicUrl, usualRules } from './address.ts'
import { type Asked, ask } from './ask.ts'
import { type Body, type BodyLimits, readBody } from './body.ts'
import { type Dialled, type DialOptions, dial } from './dial.ts'
import { VisitFailed } from './failures.ts'
import { askedNext, redirected, redirectOf } from './redirect.ts'
import { dnsResolver, type Resolve } from './resolver.ts'

/** Headers and body go to the place that was named, and to no other that it redirects to. */
export interface VisitRequest extends Asked, Partial<BodyLimits> {
  /** The schemes that this visit may use; http and https where absent. */
  schemes?: AddressRules['schemes']
  /** How many are followed. 0: a redirect is an answer like another. */
  redirects?: number
  firstByteMs?: number
  /** From the first question of DNS to the last byte. */
  totalMs?: number
  signal?: AbortSignal
}

export interface Hop {
  url: string
  /** The address that was dialled. */
  address: string
  status: number
  /** From the question of DNS to the answer's head. */
  tookMs: number
}

export interface Visited extends Body {
  /** Where the answer came from, after every redirect. */
  url: string
  /** Any status is an answer. */
  status: number
  headers: IncomingHttpHeaders
  hops: readonly Hop[]
  /** When the certificate of the last hop ends, in ms; undefined over plain HTTP. */
  certificateEndsAt: number | undefined
}

export interface PublicFetch {
  /** Rejects with NotPublic or VisitFailed; after `signal`, with its reason. */
  visit(url: string, request?: VisitRequest): Promise<Visited>
}

export interface PublicFetchOptions extends DialOptions {
  userAgent: string
  resolve?: Resolve
  ports?: AddressRules['ports']
}

const usual = {
  redirects: 5,
  maxBytes: 8 << 20,
  beyond: 'refuse',
  wants: () => true,
  firstByteMs: 10_000,
  totalMs: 25_000,
} as const

export function publicFetch(options: PublicFetchOptions): PublicFetch {
  const { userAgent, resolve = dnsResolver(), ports = usualRules.ports } = options

  /** A connection to the place itself. */
  async function connect(url: URL, signal: AbortSignal): Promise<Dialled> {
    const addresses = await publicAddresses(url, resolve, signal)
    const target = { host: hostOf(url), addresses, port: portOf(url), secure: url.protocol === 'https:' }
    return dial(target, signal, options)
  }

  async function follow(text: string, request: VisitRequest, signal: AbortSignal): Promise<Visited> {
    const limits = { ...usual, ...request }
    const { redirects, firstByteMs } = limits
    const rules = { schemes: request.schemes ?? usualRules.schemes, ports }
    const hops: Hop[] = []
    let url = readPublicUrl(text, rules)
    let asked: Asked = request
    for (;;) {
      const startedAt = performance.now()
      const { socket, address, certificateEndsAt } = await connect(url, signal)
      try {
        const response = await ask(socket, url, asked, { userAgent, firstByteMs, signal })
        const { statusCode: status = 0, headers } = response
        hops.push({ url: url.href, address, status, tookMs: performance.now() - startedAt })
        const next = redirects > 0 ? redirectOf(response) : undefined
        if (next === undefined) {
          const body = await readBody(response, hostOf(url), limits, signal)
          return { url: url.href, status, headers, hops, certificateEndsAt, ...body }
        }
        if (hops.length > redirects)
          throw new VisitFailed(
            'too_many_redirects',
            `${hostOf(url)} redirects for the ${hops.length}th time`,
          )
        const from = url
        url = redirected(next, from, rules)
        asked = askedNext(asked, status, from, url)
      } finally {
        socket.destroy()
      }
    }
  }

  return {
    async visit(text, request = {}) {
      const { totalMs = usual.totalMs, signal } = request
      const deadline = AbortSignal.timeout(totalMs)
      try {
        return await follow(text, request, signal ? AbortSignal.any([signal, deadline]) : deadline)
      } catch (error) {
        signal?.throwIfAborted()
        if (deadline.aborted) throw new VisitFailed('timeout', `the visit takes longer than ${totalMs} ms`)
        throw error
      }
    },
  }
}
