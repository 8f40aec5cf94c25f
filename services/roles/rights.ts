/**
 * The topics that each role reads and writes. A process has no other rights, and the brokers enforce the same
 * (deploy/kafka/acls.sh). Topics that other declarations name are not repeated here.
 */
import { lookups } from '../../pipelines/lookups/index.ts'
import { type Role, roles } from '../../pipelines/rails/environment/roles.ts'
import type { Topics } from '../../pipelines/workers/worker.ts'
import { airportEvents } from '../../schemas/airport-events.ts'
import { chainPayments } from '../../schemas/chain-payments.ts'
import { chainPools } from '../../schemas/chain-pools.ts'
import { chainRanges } from '../../schemas/chain-ranges.ts'
import { dataChecks } from '../../schemas/data-checks.ts'
import type { Topic } from '../../schemas/dataset/dataset.ts'
import { duties } from '../../schemas/duties.ts'
import { fxBankRates } from '../../schemas/fx-bank-rates.ts'
import { fxRates } from '../../schemas/fx-rates.ts'
import { datasets } from '../../schemas/index.ts'
import { marketProbes } from '../../schemas/market-probes.ts'
import { marketResources } from '../../schemas/market-resources.ts'
import { marketSnapshots } from '../../schemas/market-snapshots.ts'
import { marketBuilds, marketEndpoints, marketReleases, marketWeeks } from '../../schemas/market-weeks.ts'
import { mcpTrials } from '../../schemas/mcp-trials.ts'
import { rejects } from '../../schemas/rejects.ts'
import { isRequests } from '../../schemas/requests.ts'
import { salesCounted } from '../../schemas/sales-counted.ts'
import { secCompanies } from '../../schemas/sec-companies.ts'
import { secEvents } from '../../schemas/sec-events.ts'
import { secFacts } from '../../schemas/sec-facts.ts'
import { secFilings } from '../../schemas/sec-filings.ts'
import { secFinancials, secFinancialsAsOf } from '../../schemas/sec-financials.ts'
import { secInsiders } from '../../schemas/sec-insiders.ts'
import { secTickers } from '../../schemas/sec-tickers.ts'
import { settlements } from '../../schemas/settlements.ts'
import { sourceTicks } from '../../schemas/source-ticks.ts'
import { tillOpen } from '../../schemas/till-open.ts'
import { tillPromises } from '../../schemas/till-promises.ts'
import { tillSecrets } from '../../schemas/till-secrets.ts'
import { tokenPrices } from '../../schemas/token-prices.ts'
import { weatherAlerts } from '../../schemas/weather-alerts.ts'
import { webFetches } from '../../schemas/web-fetches.ts'
import { webPages } from '../../schemas/web-pages.ts'
import { webRequests } from '../../schemas/web-requests.ts'
import { origins, workersOf } from '../origins/index.ts'

interface Has {
  topic: Topic
}

/** The rights are the same for every process of the role, whatever its origins and keys. */
interface Rights {
  reads: readonly Topic[]
  writes: readonly Topic[]
  /** The groups whose progress it commits or reads. */
  groups: readonly { topic: Topic; group: string }[]
}

const requests = datasets.filter(isRequests)
const held = datasets.filter(({ views }) => views.some(view => view.held || view.looked))
const kept = lookups.flatMap(({ keep }) => (keep ? [keep.dataset as Has] : []))

/** The topics of the sources. */
const polled = [
  ...[fxRates, fxBankRates, airportEvents, weatherAlerts, marketResources, marketSnapshots],
  ...[chainPayments, chainRanges, chainPools, secCompanies, secTickers, secFilings, secFacts, secFinancials],
  ...[secFinancialsAsOf, secEvents, secInsiders],
]
const builtMarket = [marketWeeks, marketEndpoints, marketBuilds, marketReleases]

const said: Record<Role, Topics & Partial<Pick<Rights, 'groups'>>> = {
  ingest: {
    reads: [duties, sourceTicks, marketResources, marketSnapshots, marketReleases, marketBuilds],
    writes: [duties, sourceTicks, rejects, ...polled, ...requests, ...builtMarket, marketProbes],
    groups: [
      { topic: settlements.topic, group: 'watching' },
      { topic: marketSnapshots.topic, group: 'market' },
    ],
  },
  sink: { reads: [duties], writes: [duties, rejects, dataChecks] },
  meter: { reads: [duties, settlements, salesCounted], writes: [duties, salesCounted, rejects] },
  query: {
    reads: [
      ...[duties, tillPromises, tillOpen, tillSecrets, mcpTrials, webPages, ...held, ...kept],
      ...requests,
    ],
    writes: [
      ...[duties, tillPromises, tillOpen, tillSecrets, settlements, rejects, mcpTrials, webRequests],
      ...[webFetches, tokenPrices, ...kept, ...requests],
    ],
  },
  render: { writes: [webPages] },
}

const workers = workersOf(origins)
const unique = (having: readonly Has[]): Topic[] => [
  ...new Map(having.map(({ topic }) => [topic.name, topic])).values(),
]

export const rightsOf = Object.fromEntries(
  roles.map((role): [Role, Rights] => {
    const own = workers.filter(worker => worker.role === role)
    const { groups = [], ...topics } = said[role]
    const having: Topics[] = [topics, ...own, ...(role === 'query' ? origins : [])]
    const all = [...own.flatMap(({ follows }) => follows ?? []), ...groups]
    const reads = having.flatMap(({ reads = [] }) => reads)
    const writes = having.flatMap(({ writes = [] }) => writes)
    return [role, { reads: unique([...reads, ...all]), writes: unique(writes), groups: all }]
  }),
) as Record<Role, Rights>

/** Every topic that processes of these roles open. */
export const topicsOf = (of: readonly Role[]): Topic[] =>
  unique(of.flatMap(role => [...rightsOf[role].reads, ...rightsOf[role].writes]).map(topic => ({ topic })))
