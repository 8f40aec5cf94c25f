/** Every dataset, in one list. */
import { airportEvents } from './airport-events.ts'
import { attestEntries } from './attest-entries.ts'
import { attestHeads } from './attest-heads.ts'
import { bookDays } from './book-days.ts'
import { bookDifferences } from './book-differences.ts'
import { bookNotes } from './book-notes.ts'
import { callCounts } from './call-counts.ts'
import { canaryPurchases } from './canary-purchases.ts'
import { chainPayments } from './chain-payments.ts'
import { chainPools } from './chain-pools.ts'
import { chainRanges } from './chain-ranges.ts'
import { dataChecks } from './data-checks.ts'
import type { Dataset } from './dataset/dataset.ts'
import { datasetSchemas } from './dataset-schemas.ts'
import { doorCounts } from './door-counts.ts'
import { duties } from './duties.ts'
import { endpointChecks } from './endpoint-checks.ts'
import { endpointChanges, endpointStates } from './endpoint-states.ts'
import { finality, takenBack } from './finality.ts'
import { fxBankRates } from './fx-bank-rates.ts'
import { fxCorrections } from './fx-corrections.ts'
import { fxRates } from './fx-rates.ts'
import { geocodePoints } from './geocode-points.ts'
import { geocodes } from './geocodes.ts'
import { marketProbes } from './market-probes.ts'
import { marketResources } from './market-resources.ts'
import { marketSnapshots } from './market-snapshots.ts'
import { marketBuilds, marketEndpoints, marketReleases, marketWeeks } from './market-weeks.ts'
import { mcpTrials } from './mcp-trials.ts'
import { operationDays } from './operation-days.ts'
import { productsSeen } from './products-seen.ts'
import { refunds } from './refunds.ts'
import { rejects } from './rejects.ts'
import { salesCorrected } from './sales-corrected.ts'
import { salesCounted } from './sales-counted.ts'
import { secCompanies } from './sec-companies.ts'
import { secEvents } from './sec-events.ts'
import { secFacts } from './sec-facts.ts'
import { secFilings } from './sec-filings.ts'
import { secFinancials, secFinancialsAsOf } from './sec-financials.ts'
import { secInsiders } from './sec-insiders.ts'
import { secRequests } from './sec-requests.ts'
import { secTickers } from './sec-tickers.ts'
import { settleCosts } from './settle-costs.ts'
import { settlements } from './settlements.ts'
import { crawlOrders, siteCrawls } from './site-crawls.ts'
import { sourceTicks } from './source-ticks.ts'
import { tillOpen } from './till-open.ts'
import { tillPromises } from './till-promises.ts'
import { tillSecrets } from './till-secrets.ts'
import { tokenPrices } from './token-prices.ts'
import { watchOrders, watchSubscriptions, watchTold } from './watch-subscriptions.ts'
import { weatherAlerts } from './weather-alerts.ts'
import { weatherForecasts } from './weather-forecasts.ts'
import { weatherOutlooks } from './weather-outlooks.ts'
import { weatherPoints } from './weather-points.ts'
import { webFetches } from './web-fetches.ts'
import { webPages } from './web-pages.ts'
import { webRequests } from './web-requests.ts'
import { webhookDead, webhookDeliveries, webhookDue, webhookEvents, webhookStandings } from './webhooks.ts'

export const datasets: readonly Dataset[] = [
  fxRates,
  fxBankRates,
  airportEvents,
  secCompanies,
  secTickers,
  secFilings,
  secFacts,
  secFinancials,
  secFinancialsAsOf,
  secEvents,
  secInsiders,
  secRequests,
  marketResources,
  marketSnapshots,
  chainPayments,
  chainRanges,
  chainPools,
  tokenPrices,
  marketWeeks,
  marketEndpoints,
  marketBuilds,
  marketReleases,
  marketProbes,
  weatherAlerts,
  weatherForecasts,
  weatherOutlooks,
  weatherPoints,
  geocodes,
  geocodePoints,
  productsSeen,
  canaryPurchases,
  settlements,
  refunds,
  finality,
  takenBack,
  salesCorrected,
  salesCounted,
  // Its view of what sales are worth reads the receipts.
  fxCorrections,
  bookDays,
  bookDifferences,
  bookNotes,
  doorCounts,
  settleCosts,
  callCounts,
  operationDays,
  sourceTicks,
  rejects,
  dataChecks,
  datasetSchemas,
  attestEntries,
  attestHeads,
  mcpTrials,
  duties,
  tillOpen,
  tillPromises,
  tillSecrets,
  webRequests,
  webPages,
  webFetches,
  crawlOrders,
  siteCrawls,
  watchSubscriptions,
  watchOrders,
  watchTold,
  endpointChecks,
  endpointStates,
  endpointChanges,
  webhookEvents,
  webhookDue,
  webhookDeliveries,
  webhookDead,
  webhookStandings,
]
