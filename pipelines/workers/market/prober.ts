/** Probes the endpoints that the release on sale recommends most, each once an hour, spread over its minutes. */
import { createHash } from 'node:crypto'
import { type MarketProbe, marketProbes } from '../../../schemas/market-probes.ts'
import { marketReleases, type ReleasePart } from '../../../schemas/market-weeks.ts'
import type { Release, ReleaseEndpoint } from '../../../schemas/values/market-release.ts'
import { instant } from '../../../schemas/values/values.ts'
import { append } from '../../domains/market/publisher.ts'
import { newestWhole } from '../../domains/market/release.ts'
import { Exact } from '../../domains/market/seller.ts'
import { probeQuote } from '../../domains/x402/quote-probe.ts'
import { tick } from '../../rails/clock.ts'
import { keepNewest } from '../../rails/log/events.ts'
import type { Log } from '../../rails/log/log.ts'
import { Newest } from '../../rails/log/order.ts'
import type { PublicFetch } from '../../rails/outside/fetching/visit.ts'
import { type Running, together } from '../../rails/running.ts'
import { catalogUpstream } from '../../sources/catalog/upstream.ts'
import type { Worker } from '../worker.ts'

const most = 600
const atOnce = 4
/** No seller is asked for more of its endpoints than this. */
const mostOfSeller = 5

interface Listed {
  host: string
  url: string
  method: string
  priceUsd: string | null
  payTo: readonly string[]
}

/** The endpoints with the most paying wallets. */
export function probedOf({ sellers }: Release): Listed[] {
  const isProbed = ({ listed, method, url }: ReleaseEndpoint) =>
    listed && Boolean(method) && URL.canParse(url)
  return sellers
    .flatMap(({ host, endpoints }) =>
      endpoints
        .filter(isProbed)
        .toSorted((a, b) => b.wallets - a.wallets)
        .slice(0, mostOfSeller)
        .map(endpoint => ({ host, endpoint })),
    )
    .sort((a, b) => b.endpoint.wallets - a.endpoint.wallets || (a.endpoint.url < b.endpoint.url ? -1 : 1))
    .slice(0, most)
    .map(({ host, endpoint: { url, method = '', price_usd, pay_to = [] } }) => ({
      host,
      url,
      method,
      priceUsd: price_usd,
      payTo: pay_to,
    }))
}

/** The minute of every hour in which an endpoint is probed. */
export const minuteOf = (url: string): number => createHash('sha256').update(url).digest().readUInt32BE() % 60

export async function probe(
  listed: Listed,
  fetch: PublicFetch,
  now: () => number,
  signal: AbortSignal,
): Promise<MarketProbe> {
  const first = await probeQuote(fetch, listed, signal)
  // One lost packet must not make a seller look dead.
  const { alive, status, quotes, latencyMs, reason } =
    first.alive === false ? await probeQuote(fetch, listed, signal) : first
  const addresses = (quotes?.accepts ?? []).map(({ pay_to }) => pay_to).filter(address => address !== '')
  const price = quotes?.price_usd ?? null
  return {
    url: listed.url,
    host: listed.host,
    checked_at: instant(now()),
    alive,
    status,
    price_usd: price,
    price_matches: price === null || listed.priceUsd === null ? null : new Exact(price).eq(listed.priceUsd),
    pay_to_matches:
      addresses.length && listed.payTo.length
        ? addresses.every(address => listed.payTo.includes(address))
        : null,
    latency_ms: latencyMs,
    reason: reason?.slice(0, 300) ?? null,
  }
}

interface ProbingOptions {
  log: Log
  fetch: PublicFetch
  now: () => number
  onFailed(error: unknown): void
  schedule?: string
}

export const marketProbing: Worker = {
  part: 'probes',
  role: 'ingest',
  reads: [marketReleases],
  writes: [marketProbes],
  open: ({ alone, visits, isSample, now, onFailed }) =>
    // The sellers of a sample are invented, so nobody answers at their addresses.
    isSample(catalogUpstream)
      ? together([])
      : alone('probes', ({ log }) =>
          startProbing({ log, fetch: visits, now, onFailed: error => onFailed('probe', error) }),
        ),
}

export async function startProbing({
  log,
  fetch,
  now,
  onFailed,
  schedule = '* * * * *',
}: ProbingOptions): Promise<Running> {
  const parts = new Map<string, ReleasePart>()
  const newest = new Newest()
  let endpoints: Listed[] | undefined
  const watching = await log.watch(marketReleases.topic, batch => {
    keepNewest(parts, marketReleases, batch, newest)
    endpoints = undefined
  })
  let doneMinute = Math.floor(now() / 60_000) - 1
  const ticking = tick(schedule, 5_000, async signal => {
    try {
      endpoints ??= probedOf(newestWhole(parts.values())?.content ?? ({ sellers: [] } as unknown as Release))
      // A round may take longer than its minute. The delayed endpoints are probed in the next round.
      const minute = Math.floor(now() / 60_000)
      const since = Math.max(doneMinute, minute - 60)
      const due = endpoints.filter(({ url }) => (minute - minuteOf(url)) % 60 < minute - since).values()
      doneMinute = minute
      const worker = async () => {
        for (const listed of due) {
          if (signal.aborted) return
          await append(log, marketProbes, [await probe(listed, fetch, now, signal)])
        }
      }
      await Promise.all(Array.from({ length: atOnce }, worker))
      return true
    } catch (error) {
      // The log or the world fails: the endpoint is asked again in an hour.
      if (!signal.aborted) onFailed(error)
      return signal.aborted
    }
  })
  return together([watching, ticking])
}
