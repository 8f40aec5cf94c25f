/** Upstreams as the sandbox finds them: live where they answer, else bundled samples, dated around now. */
import type { UpstreamName } from '../../pipelines/outside/outside.ts'
import { type Loopback, type Said, serveLoopback } from './loopback.ts'
import { geocoder } from './samples/addresses.ts'
import { airportStatus } from './samples/airports.ts'
import { companyFacts, currentFilings, submissions, ticker } from './samples/companies.ts'
import { marketCatalog } from './samples/market.ts'
import { dailyRates, historyOfRates, ninetyDaysOfRates } from './samples/rates.ts'
import { weatherService } from './samples/weather.ts'

/** The live answer of `probe` has to hold `proof`: a login page of some network is no upstream. */
interface Sampled {
  probe: string
  proof: RegExp
  bodies?: Record<string, (now: number) => string | Buffer>
  /** Where what is asked for stands in the address itself. */
  answer?: (path: string, now: number, query: URLSearchParams) => Said | undefined
}

const sampled: Partial<Record<UpstreamName, Sampled>> = {
  ECB_URL: {
    probe: '/stats/eurofxref/eurofxref-daily.xml',
    proof: /<Cube time=/,
    bodies: {
      '/stats/eurofxref/eurofxref-daily.xml': dailyRates,
      '/stats/eurofxref/eurofxref-hist-90d.xml': ninetyDaysOfRates,
      '/stats/eurofxref/eurofxref-hist.zip': historyOfRates,
    },
  },
  FAA_URL: {
    probe: '/api/airport-status-information',
    proof: /<AIRPORT_STATUS_INFORMATION>/,
    bodies: { '/api/airport-status-information': airportStatus },
  },
  NWS_URL: { probe: '/points/38.8894,-77.0352', proof: /"gridId"/, answer: weatherService },
  CENSUS_URL: {
    probe: '/geocoder/benchmarks',
    proof: /"benchmarks"/,
    answer: (path, _now, query) => geocoder(path, query),
  },
  CATALOG_URL: {
    probe: '/platform/v2/x402/discovery/resources?limit=20&offset=0',
    proof: /"pagination"/,
    answer: marketCatalog,
  },
  SEC_DATA_URL: {
    probe: '/submissions/CIK0000320193.json',
    proof: /"filings"/,
    bodies: {
      '/submissions/CIK0000320193.json': submissions,
      '/api/xbrl/companyfacts/CIK0000320193.json': companyFacts,
    },
  },
  SEC_WWW_URL: {
    probe: '/files/company_tickers_exchange.json',
    proof: /"exchange"/,
    bodies: {
      '/files/company_tickers_exchange.json': ticker,
      '/cgi-bin/browse-edgar': currentFilings,
    },
  },
}

export interface Upstreams {
  /** The environment of the service, for those that a sample stands in for. */
  urls: Partial<Record<UpstreamName, string>>
  samples: ReadonlySet<UpstreamName>
  close(): Promise<void>
}

/** `live` says whether an upstream answers in earnest; the probe of the network if nothing else is given. */
export async function startUpstreams(
  at: Readonly<Partial<Record<UpstreamName, string>>>,
  { now = Date.now, live = answers }: { now?: () => number; live?: typeof answers } = {},
): Promise<Upstreams> {
  const found = await Promise.all(
    (Object.entries(sampled) as [UpstreamName, Sampled][]).map(async ([name, sample]) => ({
      name,
      sample,
      isLive: await live(`${at[name]}${sample.probe}`, sample.proof),
    })),
  )
  const missing = found.filter(({ isLive }) => !isLive)
  const servers = await Promise.all(missing.map(({ sample }) => serveSample(sample, now)))
  return {
    urls: Object.fromEntries(missing.map(({ name }, i) => [name, servers[i]?.url])),
    samples: new Set(missing.map(({ name }) => name)),
    close: async () => {
      await Promise.all(servers.map(server => server.close()))
    },
  }
}

function serveSample({ bodies, answer }: Sampled, now: () => number): Promise<Loopback> {
  return serveLoopback(({ path, query }): Said => {
    const answered = answer?.(path, now(), query)
    if (answered) return answered
    const body = bodies?.[path]?.(now())
    return body === undefined
      ? { status: 404, type: 'text/plain', body: 'the sample has no such page' }
      : { type: typeof body === 'string' ? 'text/xml' : 'application/zip', body }
  })
}

const patienceMs = 2_000

async function answers(url: string, proof: RegExp): Promise<boolean> {
  try {
    const response = await fetch(url, {
      headers: { 'user-agent': 'Farebox sandbox' },
      signal: AbortSignal.timeout(patienceMs),
    })
    return response.ok && proof.test(await response.text())
  } catch {
    return false
  }
}
