/** Every Prometheus metric. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export const registry = new Registry()
const registers = [registry]
const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

const counter = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
  new Counter<L>({ name: `farebox_${name}`, help, labelNames, registers })
const gauge = <L extends string>(name: string, help: string, ...labelNames: L[]) => {
  const made = new Gauge<L>({ name: `farebox_${name}`, help, labelNames, registers })
  // A gauge without labels begins at 0, but a process that never asks the store must not report it as down.
  if (!labelNames.length) made.remove()
  return made
}
/** Each sale is measured several times. To find the labels of one value takes several times as long as among many at once. */
const mostGathered = 256
const histogram = <L extends string>(name: string, help: string, ...labelNames: L[]) => {
  let gathered: [labels: Record<L, string>, value: number][] = []
  function collect() {
    const values = gathered
    gathered = []
    for (const [labels, value] of values) observe(labels, value)
  }
  const made = new Histogram<L>({
    ...{ name: `farebox_${name}`, help, labelNames, registers, collect },
    buckets: seconds,
  })
  const observe = made.observe.bind(made) as (labels: Record<L, string>, value: number) => void
  return Object.assign(made, {
    observe(labels: Record<L, string>, value: number) {
      if (gathered.push([labels, value]) >= mostGathered) collect()
    },
  })
}
/** A bulk load takes hours. */
const longHistogram = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
  new Histogram<L>({
    ...{ name: `farebox_${name}`, help, labelNames, registers },
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 4 * 3600, 12 * 3600],
  })

export const metrics = {
  calls: counter(
    'calls_total',
    'Answers to calls of paid operations, by HTTP status',
    'origin',
    'operation',
    'status',
  ),
  refusals: counter('refusals_total', 'Free refusals and failures, by code', 'origin', 'operation', 'code'),
  quotes: counter('quotes_total', 'Answers 402 with a quote to unpaid calls', 'origin', 'operation'),
  freeCalls: counter(
    'free_calls_total',
    'Answers of free routes, by HTTP status',
    'origin',
    'operation',
    'status',
  ),
  replays: counter('replays_total', 'Paid answers sent again without a charge', 'origin', 'operation'),
  callSeconds: histogram(
    'call_seconds',
    'From the request to the answer, paid calls that succeeded',
    'origin',
    'operation',
  ),
  callsInFlight: gauge('calls_in_flight', 'Paid calls that are being answered now'),
  salesInFlight: gauge(
    'sales_in_flight',
    'Sales by the step that they wait for; one may wait for two, as its payment is verified while its answer is made',
    'network',
    'step',
  ),
  saleStepSeconds: histogram(
    'sale_step_seconds',
    'How long a sale waited for a step; a step that ends at once is not counted',
    'step',
  ),
  salesBytes: gauge('sales_bytes', 'Memory that sales under way hold, as the till reckons'),
  salesBytesLimit: gauge('sales_bytes_limit', 'Memory that sales under way may hold'),

  pricesRefused: gauge(
    'prices_refused',
    '1 while the file of prices is wrong, so that the prices before it stay',
  ),
  pricesInUse: gauge('prices_in_use', 'Always 1: the file of prices that is sold by, by its hash', 'edition'),

  settlements: counter(
    'settlements_total',
    'Settlements by state, from their topic',
    'origin',
    'operation',
    'network',
    'state',
  ),
  revenue: counter(
    'revenue_usdc_total',
    'USDC settled, from the settlements topic',
    'origin',
    'operation',
    'network',
  ),
  finalityWaiting: gauge('finality_waiting', 'Sales that their chain does not call final yet', 'network'),
  finalityUnsafe: gauge('finality_unsafe', 'Sales that their chain does not call safe yet', 'network'),
  finalityLag: gauge('finality_lag_seconds', 'The age of the oldest sale that is not final', 'network'),
  takenBack: counter(
    'taken_back_total',
    'Payments that their chain took back after the sale, and what became of them: taken_back, settled_again, lost',
    'network',
    'state',
  ),
  canaryDue: gauge('canary_due_timestamp_seconds', 'When the canary means to buy next', 'network'),
  canaryGood: gauge(
    'canary_good_timestamp_seconds',
    'The last purchase of the canary that passed every check',
    'network',
  ),
  canaryFailed: gauge(
    'canary_failed_in_a_row',
    'Purchases of the canary that failed since the last good one',
    'network',
  ),
  canarySpent: gauge('canary_spent_today_usdc', 'USDC that the canary has spent in this UTC day', 'network'),
  refundSteps: counter(
    'refund_steps_total',
    'Steps of refunds that this process has taken, as in the table refunds, and sent: handed to a node',
    'network',
    'step',
  ),
  refundsOpen: gauge(
    'refunds_open',
    'Refunds that are not final: ordered, intended, paid; or ordered, and a limit of the day is reached: day_spent, rule_spent, payer_spent',
    'network',
    'state',
  ),
  refundOldest: gauge(
    'refund_oldest_seconds',
    'How long the oldest of them waits: since its first try, or since its order',
    'network',
    'state',
  ),
  refundSpent: gauge('refund_spent_today_usdc', 'USDC that refunds of this UTC day take'),
  refundLeft: gauge('refund_left_today_usdc', 'What refunds of this UTC day may still take'),
  resettled: counter(
    'resettled_total',
    'Payments that were taken back and are settled once more, by the word of the facilitator',
    'network',
    'outcome',
  ),
  unresolved: gauge('payments_unresolved', 'Payments whose outcome is not known yet'),
  answersOwed: gauge('answers_owed', 'Answers that were paid more than a minute ago and not delivered'),
  answersOwedBytes: gauge(
    'answers_owed_bytes',
    'What these answers take, in the store of blobs or in memory',
  ),
  answersOwedOldestSeconds: gauge(
    'answers_owed_oldest_seconds',
    'How long the oldest of them is owed; 0: none',
  ),
  paymentsUnread: gauge('payments_unread', 'Payments that wait because a record about them cannot be read'),
  facilitatorSeconds: histogram(
    'facilitator_seconds',
    'Calls of facilitators, by HTTP status',
    'call',
    'outcome',
    'facilitator',
  ),
  facilitatorOutcomes: counter(
    'facilitator_outcomes_total',
    'What facilitators said of payments. failed: they refuse it, or were not reached; unavailable, unknown: nothing that ends the matter',
    'facilitator',
    'network',
    'call',
    'outcome',
  ),
  facilitatorOpen: gauge(
    'facilitator_open',
    '1 while a facilitator is asked in its turn; 0 while its calls fail, so that others come first',
    'facilitator',
    'network',
  ),
  facilitatorListings: counter(
    'facilitator_listings_total',
    'What the catalogs of facilitators said of our listings: success, processing, rejected or other',
    'facilitator',
    'operation',
    'status',
  ),
  facilitatorLies: counter(
    'facilitator_lies_total',
    'What a facilitator said of a payment and its chain denies. settled: no transfer; transaction: another one; refused: a transfer',
    'kind',
    'facilitator',
  ),
  facilitatorChecks: counter(
    'facilitator_checks_total',
    'What a facilitator called settled, held against its chain: confirmed, denied, silent, or skipped because there was too much',
    'outcome',
    'facilitator',
  ),
  facilitatorUp: gauge('facilitator_up', '1 while any facilitator answers'),
  settledTransfers: counter(
    'settle_transfers_total',
    'Payments that the role settle brought to a chain: moved by its transaction, found in that of another, or missed: the chain took it and no money moved',
    'network',
    'outcome',
  ),
  settleRaises: counter('settle_raises_total', 'Transactions sent again with a higher fee', 'network'),
  settleGas: counter('settle_gas_total', 'Gas that settling has used', 'network'),
  settleFees: counter(
    'settle_fees_coins_total',
    'What settling has cost, in coins of the chain: its own fee, and that of the layer below for the data',
    'network',
    'layer',
  ),
  settleKeyCoins: gauge(
    'settle_key_coins',
    'What a key for fees holds, in coins of the chain',
    'network',
    'key',
  ),
  settleKeySales: gauge(
    'settle_key_sales',
    'How many sales settled one by one a key for fees still pays for at the present price',
    'network',
    'key',
  ),

  polls: counter('polls_total', 'Polls of sources by outcome', 'source', 'outcome'),
  pollSeconds: longHistogram('poll_seconds', 'How long a poll took', 'source'),
  polledAt: gauge('source_polled_timestamp_seconds', 'The last good poll of a source', 'source'),
  silentAfter: gauge('source_silent_after_seconds', 'How long a source may go without a good poll', 'source'),
  missedFeeds: counter(
    'source_missed_feeds_total',
    'Feeds that failed in a poll which another feed made good',
    'source',
    'feed',
  ),
  drift: counter(
    'upstream_drift_total',
    'Records of an upstream that no longer look as we know them: unknown, vanished, type or set',
    'source',
    'kind',
  ),
  dutyHeld: gauge('duty_held', '1 where this process does what only one process of all may do', 'duty'),
  lookups: counter('lookups_total', 'Lookups by outcome', 'lookup', 'outcome'),
  lookupSeconds: histogram('lookup_seconds', 'How long a lookup took', 'lookup'),
  ipDatabaseBuiltAt: gauge('ip_database_built_timestamp_seconds', 'When the IP database in use was built'),
  ipEuDisagreements: gauge(
    'ip_eu_disagreements',
    '1 for a country about whose EU membership the IP database and our list disagree',
    'country',
  ),

  renderings: counter('renderings_total', 'Pages rendered, by outcome', 'outcome'),
  browserBytes: gauge('browser_bytes', 'Memory of the browser that renders pages, without what it shares'),
  renderSeconds: histogram('render_seconds', 'How long it took to render a page'),

  rpcErrors: counter('rpc_errors_total', 'Failed calls to nodes of a chain', 'network'),
  rpcSwitches: counter('rpc_switches_total', 'Changes to the next node of a chain', 'network'),
  chainGap: gauge('chain_gap_blocks', 'Blocks (Solana: slots) not read yet', 'network'),
  chainRead: gauge('chain_read_timestamp_seconds', 'Time of the newest final block read', 'network'),

  bookDifferences: gauge(
    'book_differences',
    'What differs between the chain and our sales, as of the last comparison',
    'network',
  ),
  booksClosed: gauge(
    'books_closed_through_timestamp_seconds',
    'The books of every day before this time are closed',
    'network',
  ),
  operationRevenue: gauge(
    'operation_revenue_usdc',
    'What an operation has sold in the last seven days, without what our canary bought',
    'origin',
    'operation',
  ),
  operationCosts: gauge(
    'operation_costs_usd',
    'What it has cost in these days: gas, fees of facilitators, calls of others and refunds',
    'origin',
    'operation',
  ),

  logLag: gauge('log_lag_records', 'Records that a group has not handled yet', 'topic', 'group'),
  logLagPartition: gauge('log_lag_partition_records', 'The same by partition', 'topic', 'group', 'partition'),
  logBrokers: gauge(
    'log_brokers',
    'Brokers. known: they should hold copies of our topics; present: they are in the cluster now',
    'state',
  ),
  logPartitions: gauge(
    'log_partitions',
    'Partitions that are not well. behind: a copy is not up to date; leaderless: nothing can be appended',
    'topic',
    'state',
  ),
  logDiskBytes: gauge(
    'log_disk_bytes',
    'The disk under a log of one file. used: by the log; free: for everybody',
    'state',
  ),
  logLate: gauge(
    'log_lag_seconds',
    'How long the oldest record that a group has not handled has waited',
    'topic',
    'group',
  ),
  sunk: counter('sink_rows_total', 'Rows put into the store', 'table'),
  sinkRejects: counter('sink_rejects_total', 'Events that failed the check of their dataset', 'topic'),
  newerEvents: counter(
    'log_newer_events_total',
    'Events with columns that this version does not know. A reader takes the others; a sink waits for a newer version',
    'topic',
  ),
  unreadEvents: counter(
    'log_unread_events_total',
    'Events of views in memory that cannot be read. What they are about is not sold until it is told again',
    'topic',
  ),
  sinkRetries: counter('sink_retries_total', 'Inserts tried again because the store was down', 'table'),
  dataCheckFailed: gauge(
    'data_check_failed',
    '1 while the last run of a check found something wrong',
    'dataset',
    'check',
  ),
  dataCheckStopped: gauge(
    'data_check_stopped',
    '1 while the last run of a check did not come to its end, so nobody knows what it would find',
    'dataset',
    'check',
  ),
  endpointChecks: counter('endpoint_checks_total', 'Checks of watched endpoints, by verdict', 'verdict'),
  endpointsWatched: gauge('endpoints_watched', 'Endpoints that are watched now'),
  endpointChecksLate: gauge(
    'endpoint_checks_late_seconds',
    'How long the oldest check that is due has waited',
  ),
  webhookAttempts: counter('webhook_attempts_total', 'Attempts to deliver an event to a webhook', 'outcome'),
  questionsSealed: counter(
    'watch_questions_sealed_total',
    'Questions of subscriptions that are watched no more, because the key that sealed them is gone',
  ),
  webhooksOpen: gauge('webhooks_open', 'Events that are not delivered yet'),
  webhooksLate: gauge('webhooks_late_seconds', 'How long the oldest delivery that is due has waited'),
  webhooksDead: counter('webhooks_dead_total', 'Events that were given up', 'reason'),
  attestLogUnsigned: gauge('attest_log_unsigned', 'Attestations in the log that no signed head covers'),
  blobSeconds: histogram('blob_seconds', 'Calls of the store of large answers', 'call', 'outcome'),
  storeUp: gauge('store_up', '1 while the store answers'),
  storeDiskBytes: gauge('store_disk_bytes', 'Disks of the store: free or total', 'host', 'disk', 'state'),
  storeParts: gauge(
    'store_parts',
    'Parts of a table in the partition that has most; from 1000 on inserts are slowed down, from 3000 on refused',
    'host',
    'table',
  ),
  storeTableBytes: gauge('store_table_bytes', 'What a table takes on disk', 'host', 'table'),
  storeMemoryBytes: gauge(
    'store_memory_bytes',
    'Memory of a server of the store: used, or the limit',
    'host',
    'state',
  ),
  storeMerges: gauge('store_merges', 'Merges under way', 'host'),
  storeMergeSeconds: gauge('store_merge_seconds', 'How long the longest merge has run', 'host'),
  storeMutations: gauge(
    'store_mutations',
    'Changes of whole tables that are not done. waiting: all; failed: those of them that were tried in vain',
    'host',
    'state',
  ),
  storeReadonly: gauge(
    'store_readonly_tables',
    'Tables that take no inserts, because their copy has lost its Keeper',
    'host',
  ),
  storeReplicaDelay: gauge(
    'store_replica_delay_seconds',
    'How far the slowest copy of a table is behind',
    'host',
  ),
  storeRestarts: counter('store_restarts_total', 'Restarts of the embedded engine'),
}

/** Hooks of whatever counts from page to page: one before a page of metrics is made, one when the page is complete. */
export interface Counting {
  before(): void
  after(): void
}
export const pages = new Set<Counting>()
let paging: Promise<unknown> = Promise.resolve()

/** The page of metrics. Pages are made one at a time, so that each shows exactly what its `before` has counted. */
export function metricsPage(): Promise<string> {
  const page = paging.then(async () => {
    for (const counting of pages) counting.before()
    const text = await registry.metrics()
    for (const counting of pages) counting.after()
    return text
  })
  paging = page.catch(() => {})
  return page
}

collectDefaultMetrics({ register: registry, prefix: 'farebox_' })
