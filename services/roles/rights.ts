/**
 * What each role reads and writes in the log. A process can do nothing else there, and the brokers are told the same
 * (deploy/kafka/acls.sh). What others declare already is not said again.
 */
import { lookups } from '../../pipelines/lookups/index.ts'
import { type Role, roles } from '../../pipelines/rails/environment/roles.ts'
import { airportEvents } from '../../schemas/airport-events.ts'
import { attestEntries } from '../../schemas/attest-entries.ts'
import { attestHeads } from '../../schemas/attest-heads.ts'
import { chainPayments } from '../../schemas/chain-payments.ts'
import { chainPools } from '../../schemas/chain-pools.ts'
import { chainRanges } from '../../schemas/chain-ranges.ts'
import { dataChecks } from '../../schemas/data-checks.ts'
import type { Topic } from '../../schemas/dataset/dataset.ts'
import { duties } from '../../schemas/duties.ts'
import { endpointChecks } from '../../schemas/endpoint-checks.ts'
import { endpointChanges, endpointStates } from '../../schemas/endpoint-states.ts'
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
import { tokenPrices } from '../../schemas/token-prices.ts'
import { watchOrders, watchSubscriptions, watchTold } from '../../schemas/watch-subscriptions.ts'
import { weatherAlerts } from '../../schemas/weather-alerts.ts'
import { webFetches } from '../../schemas/web-fetches.ts'
import { webPages } from '../../schemas/web-pages.ts'
import { webRequests } from '../../schemas/web-requests.ts'
import {
  webhookDead,
  webhookDeliveries,
  webhookDue,
  webhookEvents,
  webhookStandings,
} from '../../schemas/webhooks.ts'
import { origins, workersOf } from '../origins/index.ts'
import { thingNames, things } from '../origins/watch/own/things.ts'

interface Has {
  topic: Topic
}

/** The same for every process of the role, whatever it sells or has a key for. */
export interface Rights {
  reads: readonly Topic[]
  writes: readonly Topic[]
  /** Whose progress it commits, or asks for. */
  groups: readonly { topic: Topic; group: string }[]
}

const requests = datasets.filter(isRequests)
const held = datasets.filter(({ views }) => views.some(view => view.held || view.looked))
const kept = lookups.flatMap(({ keep }) => (keep ? [keep.dataset as Has] : []))
const watched = thingNames.flatMap(name => things[name].datasets as readonly Has[])

/** What sources emit, of all facts of the world. */
const polled = [
  ...[fxRates, fxBankRates, airportEvents, weatherAlerts, marketResources, marketSnapshots],
  ...[chainPayments, chainRanges, chainPools, secCompanies, secTickers, secFilings, secFacts, secFinancials],
  ...[secFinancialsAsOf, secEvents, secInsiders],
]
const builtMarket = [marketWeeks, marketEndpoints, marketBuilds, marketReleases]
const outbox = [webhookEvents, webhookDue, webhookDeliveries, webhookDead, webhookStandings]

const said: Record<Role, { reads: readonly Has[]; writes: readonly Has[]; groups?: Rights['groups'] }> = {
  ingest: {
    reads: [
      ...[duties, sourceTicks, marketResources, marketSnapshots, marketReleases, marketBuilds],
      ...[watchSubscriptions, watchOrders, endpointStates, settlements, webhookDue, webhookStandings],
    ],
    writes: [
      ...[duties, sourceTicks, rejects, ...polled, ...requests, ...builtMarket, marketProbes],
      ...[watchSubscriptions, endpointChecks, endpointStates, endpointChanges, ...outbox],
    ],
    groups: [
      { topic: settlements.topic, group: 'watching' },
      { topic: marketSnapshots.topic, group: 'market' },
    ],
  },
  sink: {
    reads: [duties, attestEntries, attestHeads],
    writes: [duties, rejects, dataChecks, attestHeads],
  },
  meter: { reads: [duties, settlements, salesCounted], writes: [duties, salesCounted, rejects] },
  query: {
    reads: [
      ...[duties, tillPromises, tillOpen, mcpTrials, attestEntries, attestHeads, webPages],
      ...[watchSubscriptions, watchOrders, watchTold, endpointStates],
      ...[...held, ...kept, ...watched, ...requests],
    ],
    writes: [
      ...[
        duties,
        tillPromises,
        tillOpen,
        settlements,
        rejects,
        mcpTrials,
        attestEntries,
        webRequests,
        webFetches,
      ],
      ...[watchOrders, watchTold, webhookEvents, webhookStandings, tokenPrices, ...kept, ...requests],
    ],
  },
  render: { reads: [], writes: [webPages] },
}

const workers = workersOf(origins)
const unique = (having: readonly Has[]): Topic[] => [
  ...new Map(having.map(({ topic }) => [topic.name, topic])).values(),
]

export const rightsOf = Object.fromEntries(
  roles.map((role): [Role, Rights] => {
    const { reads, writes, groups = [] } = said[role]
    const follows = workers.flatMap(worker =>
      worker.role === role && worker.follows ? [worker.follows] : [],
    )
    const all = [...follows, ...groups]
    return [role, { reads: unique([...reads, ...all]), writes: unique(writes), groups: all }]
  }),
) as Record<Role, Rights>

/** Every topic that processes of these roles open. */
export const topicsOf = (of: readonly Role[]): Topic[] =>
  unique(of.flatMap(role => [...rightsOf[role].reads, ...rightsOf[role].writes]).map(topic => ({ topic })))
