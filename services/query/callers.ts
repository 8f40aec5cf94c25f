/** Identifies a caller, and limits how often each may ask. */
import type { IncomingMessage } from 'node:http'
import { isIPv4 } from 'node:net'
import { ipAddress, parseIpAddress } from '../../schemas/values/ip-address.ts'
import { Failure } from '../offer/errors.ts'
import { type Rate, standingOf } from '../offer/rate.ts'
import { nobody } from '../till/till.ts'
import { Buckets } from './buckets.ts'
import { FailedRenderings } from './failed-renderings.ts'

/**
 * The caller's name, for every limit and every recognition. One IPv6 address comes with its whole /64, so that network is the
 * caller. A proxy may add a port or a zone to an address. Everything that is no address counts as one caller.
 */
export function callerOf({ ip: named }: { readonly ip: string }): string {
  // Nearly all callers use IPv4. This test takes a tenth of the time.
  if (isIPv4(named)) return named
  const ip = parseIpAddress(named) ?? parseIpAddress(withoutPort(named))
  if (!ip) return nobody
  return ip.family === 4 ? ip.text : `${ipAddress(6, (ip.value >> 64n) << 64n).text}/64`
}

/** What a proxy says of its caller. Only the framework reads it. */
const ofProxies = ['x-forwarded-for', 'x-forwarded-host'] as const

/** The caller at the other end of the connection. Undefined if a trusted proxy may speak for another. */
export function directCaller(
  { headers, socket: { remoteAddress: ip } }: IncomingMessage,
  trustsProxy: boolean,
): string | undefined {
  if (ip === undefined) return undefined
  return trustsProxy && ofProxies.some(name => headers[name] !== undefined) ? undefined : callerOf({ ip })
}

const longestNamed = 100
const inBrackets = /^\[([^\]%]*)(?:%[^\]]*)?\](?::\d{1,5})?$/

function withoutPort(named: string): string {
  if (named.length > longestNamed) return ''
  const bare = inBrackets.exec(named)?.[1]
  if (bare !== undefined) return bare
  const [before = '', after, more] = named.split(':')
  return after !== undefined && more === undefined ? before : (named.split('%')[0] ?? '')
}

/** Above the limit a caller may still fetch answers that he has paid for, this many a minute. */
const owedPerMinute = 30

export class Callers {
  readonly rate: Rate
  readonly failedRenderings: FailedRenderings
  readonly #what: string
  readonly #buckets: Buckets

  private constructor(
    what: string,
    perMinute: number,
    shared: { buckets: Buckets; failedRenderings: FailedRenderings },
  ) {
    this.rate = { name: 'requests', perMinute }
    this.#what = what
    this.#buckets = shared.buckets
    this.failedRenderings = shared.failedRenderings
  }

  static open(perMinute: number, now: () => number): Callers {
    const shared = { buckets: new Buckets(now), failedRenderings: new FailedRenderings(now) }
    return new Callers('', perMinute, shared)
  }

  /** The same callers at another place, which has a rate of its own. */
  at(what: string, perMinute: number): Callers {
    return new Callers(what, perMinute, { buckets: this.#buckets, failedRenderings: this.failedRenderings })
  }

  /** Counts a request and returns the number that the caller has left. Above the limit it throws the free 429. */
  admit(caller: string): string {
    const standing = this.#count(caller)
    if (standing instanceof Failure) throw standing
    return standing
  }

  /** Like `admit`. But a few calls with a payment may go on above the limit, with this 429 for all but an owed answer. */
  admitPayment(caller: string): string | Failure {
    const standing = this.#count(caller)
    if (standing instanceof Failure && !this.#maySeek(caller)) throw standing
    return standing
  }

  /** Like `admit`. Above the limit it gives undefined, and whoever asks again gets the 429. */
  admitted(caller: string): string | undefined {
    const { left, backInMs } = this.#draw(caller)
    return left === undefined ? undefined : standingOf('requests', left, backInMs)
  }

  #draw(caller: string) {
    return this.#buckets.draw(`${this.#what} ${caller}`, this.rate.perMinute)
  }

  #count(caller: string): string | Failure {
    const { perMinute } = this.rate
    const { left, backInMs } = this.#draw(caller)
    if (left !== undefined) return standingOf('requests', left, backInMs)
    return new Failure('too_many_requests', `You sent more than ${perMinute} requests a minute`, {
      'retry-after': String(Math.max(1, Math.ceil(backInMs / 1000))),
      ratelimit: standingOf('requests', 0, 60_000),
    })
  }

  /** May a call above the limit be checked for an owed answer? */
  #maySeek(caller: string): boolean {
    return this.#buckets.draw(`${this.#what} owed ${caller}`, owedPerMinute).left !== undefined
  }
}
