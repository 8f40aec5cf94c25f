/** The only way to visit a URL of a caller: a bounded request to a public address. It checks each redirect again. */
import type { IncomingHttpHeaders } from 'node:http'
import { callerNow } from '../../children/caller.ts'
import { InHand, type InHandBounds } from '../../in-hand.ts'
import { type AddressRules, hostOf, portOf, publicAddresses, readPublicUrl, usualRules } from './address.ts'
import { ask, type FetchAsked } from './ask.ts'
import { type Body, type BodyLimits, readBody } from './body.ts'
import { type Dialled, type DialOptions, dial } from './dial.ts'
import { askedNext, redirected, redirectOf } from './redirect.ts'
import { dnsResolver, type Resolve } from './resolver.ts'
import { VisitFailed } from './visit-failures.ts'

/** Headers and body go to the named place only, never to the target of a redirect. */
export interface VisitRequest extends FetchAsked, Partial<BodyLimits> {
  /** The schemes that this visit may use. If absent, http and https. */
  schemes?: AddressRules['schemes']
  /** The number of redirects that it follows. With 0, a redirect is an answer like any other. */
  redirects?: number
  firstByteMs?: number
  /** From the first DNS question to the last byte. */
  totalMs?: number
  signal?: AbortSignal
}

interface Hop {
  url: string
  /** The address that was dialled. */
  address: string
  status: number
  /** From the DNS question to the last byte of the answer's headers. */
  tookMs: number
}

export interface Visited extends Body {
  /** The URL of the answer, after all redirects. */
  url: string
  /** Any status is an answer. */
  status: number
  headers: IncomingHttpHeaders
  hops: readonly Hop[]
  /** The end of the certificate of the last hop, in ms. Undefined over plain HTTP. */
  certificateEndsAt: number | undefined
}

export interface PublicFetch {
  /** Rejects with NotPublic or VisitFailed. After an abort it rejects with the reason of `signal`. */
  visit(url: string, request?: VisitRequest): Promise<Visited>
}

/** Replaces DNS, the network and the public authorities. Only tests and the sandbox use it. */
export interface PublicWeb extends DialOptions {
  resolve?: Resolve
}

export interface PublicFetchOptions extends PublicWeb {
  inHand?: InHandBounds
  userAgent: string
  ports?: AddressRules['ports']
}

/** What all visits receive at once. */
const mostInHand: InHandBounds = { mostBytes: 256 << 20, mostBytesOfCaller: 64 << 20 }

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
  const inHand = new InHand(options.inHand ?? mostInHand)

  /** Connects directly to the server. */
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
    const share = inHand.shareOf(callerNow())
    let url = readPublicUrl(text, rules)
    let asked: FetchAsked = request
    for (;;) {
      const startedAt = performance.now()
      const { socket, address, certificateEndsAt } = await connect(url, signal)
      try {
        const response = await ask(socket, url, asked, { userAgent, firstByteMs, signal })
        const { statusCode: status = 0, headers } = response
        hops.push({ url: url.href, address, status, tookMs: performance.now() - startedAt })
        const next = redirects > 0 ? redirectOf(response) : undefined
        if (next === undefined) {
          const body = await readBody(response, hostOf(url), limits, signal, share)
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
        share.end()
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
