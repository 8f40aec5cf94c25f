import { type Board, lines, stat } from '../board.ts'
import { isItWell } from '../glance.ts'

export const till: Board = {
  uid: 'farebox-till',
  title: 'Till',
  description: 'Is every payment settled once, known and answered?',
  glance: [
    ...isItWell,
    stat('Facilitators', 'short', 'min(farebox_facilitator_up)', {
      description:
        'Down as soon as one instance hears nothing from any. Paid calls there are 503, free of charge.',
      runbook: 'facilitatordown',
      bounds: { bad: 1, below: true },
      words: { 0: 'down', 1: 'up' },
    }),
    stat(
      'Payments that failed',
      'percentunit',
      'sum(increase(farebox_settlements_total{state="failed"}[$__range])) / sum(increase(farebox_settlements_total{state="intended"}[$__range])) or vector(0)',
      {
        description: 'Of all that were begun in the time shown. A payment that failed was not charged.',
        runbook: 'facilitatordown',
        bounds: { warn: 0.01, bad: 0.05 },
      },
    ),
    stat(
      'Large answers that failed',
      'short',
      'sum(increase(farebox_blob_seconds_count{outcome!="ok"}[$__range])) or vector(0)',
      {
        description: 'Calls of the store of large answers that failed in the time shown.',
        runbook: 'blobsfailing',
        bounds: { bad: 1 },
      },
    ),
  ],
  panels: [
    lines(
      'Payments without a known outcome',
      'short',
      { '{{instance}}': 'max by (instance) (farebox_payments_unresolved)' },
      {
        description: 'By instance. The service asks facilitator and chain until it knows.',
        runbook: 'paymentsunresolved',
        bounds: { bad: 1 },
      },
    ),
    lines(
      'Payments with an unreadable record',
      'short',
      { '{{instance}}': 'max by (instance) (farebox_payments_unread)' },
      {
        description: 'By instance. They wait until the chain has spoken; every other payment goes on.',
        runbook: 'paymentsunread',
        bounds: { bad: 1 },
      },
    ),
    lines(
      'Answers owed',
      'short',
      { '{{instance}}': 'max by (instance) (farebox_answers_owed)' },
      {
        description:
          'Paid more than a minute ago and not delivered. Each instance tells of all of them. Kept for seven days: 20,000 at most.',
        runbook: 'answersowed',
        bounds: { warn: 1000, bad: 10_000 },
      },
    ),
    lines(
      'Oldest answer owed',
      's',
      { '{{instance}}': 'max by (instance) (farebox_answers_owed_oldest_seconds)' },
      {
        description: 'After seven days it is given up, and its payer is owed a refund.',
        runbook: 'answersowed',
        bounds: { bad: 5 * 86_400 },
      },
    ),
    lines(
      'Bytes of answers owed',
      'bytes',
      { '{{instance}}': 'max by (instance) (farebox_answers_owed_bytes)' },
      {
        description: 'In the store of blobs or in memory. Above 1 GB the oldest are given up.',
        runbook: 'answersowed',
        bounds: { bad: 5e8 },
      },
    ),
    lines(
      'Payments by state',
      'ops',
      {
        '{{network}} {{state}}':
          'sum by (network, state) (rate(farebox_settlements_total[$__rate_interval])) > 0',
      },
      { description: 'By network and state, each payment once.', runbook: 'paymentsunresolved' },
    ),
    lines(
      'Facilitators, p95',
      's',
      {
        '{{facilitator}} {{call}}':
          'histogram_quantile(0.95, sum by (le, call, facilitator) (rate(farebox_facilitator_seconds_bucket[$__rate_interval])))',
      },
      {
        description: 'Verify and settle are the greater part of a paid call.',
        runbook: 'facilitatordown',
      },
    ),
    lines(
      'Facilitator calls',
      'reqps',
      {
        '{{facilitator}} {{call}} {{outcome}}':
          'sum by (call, outcome, facilitator) (rate(farebox_facilitator_seconds_count[$__rate_interval]))',
      },
      { description: 'By facilitator, call and HTTP status.', runbook: 'facilitatoraway' },
    ),
    lines(
      'What facilitators say of payments',
      'ops',
      {
        '{{facilitator}} {{call}} {{outcome}}':
          'sum by (facilitator, call, outcome) (rate(farebox_facilitator_outcomes_total[$__rate_interval]))',
      },
      {
        description: 'unavailable and unknown end nothing: another one is asked, or the chain.',
        runbook: 'facilitatoraway',
      },
    ),
    lines(
      'Facilitators that are asked in their turn',
      'short',
      { '{{facilitator}} {{network}}': 'min by (facilitator, network) (farebox_facilitator_open)' },
      {
        description: '0 while one does not answer, or its calls fail on a network: others come first.',
        runbook: 'facilitatoraway',
        bounds: { bad: 1, below: true },
      },
    ),
    lines(
      'Files of prices in use',
      'short',
      {
        '{{edition}}': 'count by (edition) (farebox_prices_in_use)',
        'refused at {{instance}}': 'max by (instance) (farebox_prices_refused) > 0',
      },
      {
        description:
          'Instances by the file of PRICES that they sell by. More than one: they have not all read the same.',
        runbook: 'pricesdiffer',
      },
    ),
    lines(
      'What catalogs say of listings',
      'ops',
      {
        '{{facilitator}} {{operation}} {{status}}':
          'sum by (facilitator, operation, status) (rate(farebox_facilitator_listings_total[$__rate_interval])) > 0',
      },
      { description: 'rejected: the log and /status say why.', runbook: 'facilitators' },
    ),
    lines(
      'What the chain says of settlements',
      'ops',
      {
        '{{facilitator}} {{outcome}}':
          'sum by (facilitator, outcome) (rate(farebox_facilitator_checks_total[$__rate_interval]))',
      },
      {
        description:
          'What a facilitator has called settled is held against the chain soon after, by outcome.',
        runbook: 'facilitatorlies',
      },
    ),
    lines(
      'Sales that are not final',
      'short',
      {
        '{{network}}': 'max by (network) (farebox_finality_waiting)',
        '{{network}}, not safe': 'max by (network) (farebox_finality_unsafe)',
      },
      {
        description:
          'Sales that their chain does not call final yet, on Base those of the last 20 minutes, and of them those that it does not call safe.',
        runbook: 'finalitylate',
      },
    ),
    lines(
      'Age of the oldest sale that is not final',
      's',
      { '{{network}}': 'max by (network) (farebox_finality_lag_seconds)' },
      {
        description: 'By network. It falls when the final head of the chain moves.',
        runbook: 'finalitylate',
        bounds: { bad: 7200 },
      },
    ),
    lines(
      'Payments taken back by their chain',
      'short',
      {
        '{{network}} {{state}}':
          'sum by (network, state) (increase(farebox_taken_back_total[$__rate_interval])) > 0',
        'settled once more {{network}} {{outcome}}':
          'sum by (network, outcome) (increase(farebox_resettled_total[$__rate_interval])) > 0',
      },
      {
        description:
          'taken_back: a reorganisation dropped the transfer after the sale. settled_again: it stands again. lost: it never will.',
        runbook: 'paymenttakenback',
      },
    ),
    lines(
      'The canary fails',
      'short',
      { '{{network}}': 'max by (network) (farebox_canary_failed_in_a_row)' },
      {
        description:
          'Purchases of the canary that failed since the last good one. /status shows the last ones.',
        runbook: 'canaryfails',
        bounds: { warn: 1, bad: 2 },
      },
    ),
    lines(
      'Since the last good purchase of the canary',
      's',
      { '{{network}}': 'time() - max by (network) (farebox_canary_good_timestamp_seconds)' },
      {
        description: 'By network. It buys every hour, or every CANARY_EVERY_MINUTES.',
        runbook: 'canarysilent',
      },
    ),
    lines(
      'What the canary spends in a day',
      'short',
      { '{{network}}': 'max by (network) (farebox_canary_spent_today_usdc)' },
      {
        description: 'USDC of this UTC day, by network. Together they stay below CANARY_USDC_A_DAY.',
        runbook: 'the-canary',
      },
    ),
    lines(
      'Refunds',
      'short',
      {
        '{{step}} {{network}}':
          'sum by (network, step) (increase(farebox_refund_steps_total[$__rate_interval])) > 0',
        'open: {{state}} {{network}}': 'sum by (network, state) (farebox_refunds_open)',
      },
      {
        description:
          'Steps of money on its way back to payers, and what is not final yet. Of a refund that went well: intended, sent, paid, final.',
        runbook: 'money-back',
      },
    ),
    lines(
      'The refund that waits longest',
      's',
      { '{{state}} {{network}}': 'max by (network, state) (farebox_refund_oldest_seconds)' },
      {
        description: 'By state. On Base a refund is final some twenty minutes after it is paid.',
        runbook: 'refundstuck',
        bounds: { warn: 1800, bad: 3600 },
      },
    ),
    lines(
      'What refunds take of the day',
      'short',
      {
        spent: 'max(farebox_refund_spent_today_usdc)',
        left: 'max(farebox_refund_left_today_usdc)',
      },
      {
        description: 'USDC of this UTC day. Together they are REFUND_USDC_A_DAY.',
        runbook: 'refundbudgetspent',
      },
    ),
    lines(
      'Sales under way',
      'short',
      { '{{network}} {{step}}': 'sum by (network, step) (farebox_sales_in_flight) > 0' },
      {
        description: 'By network and by the step that they wait for. A sale may wait for two at once.',
        runbook: 'sales-under-way',
      },
    ),
    lines(
      'Steps of a sale, p95',
      's',
      {
        '{{step}}':
          'histogram_quantile(0.95, sum by (le, step) (rate(farebox_sale_step_seconds_bucket[$__rate_interval])))',
      },
      {
        description: 'How long sales wait for each step; connection is the line before the facilitator.',
        runbook: 'sales-under-way',
      },
    ),
    lines(
      'Memory of sales under way',
      'percentunit',
      { '{{instance}}': 'max by (instance) (farebox_sales_bytes / farebox_sales_bytes_limit)' },
      {
        description: 'By instance, of what they may hold. At 100 % calls are 503, free of charge.',
        runbook: 'sales-under-way',
        bounds: { warn: 0.5, bad: 0.8 },
      },
    ),
    lines(
      'Our share of a paid call',
      's',
      {
        '{{step}} p95':
          'histogram_quantile(0.95, sum by (le, step) (rate(farebox_sale_step_seconds_bucket{step=~"answer|promise"}[$__rate_interval])))',
        '{{step}} p99':
          'histogram_quantile(0.99, sum by (le, step) (rate(farebox_sale_step_seconds_bucket{step=~"answer|promise"}[$__rate_interval])))',
      },
      {
        description:
          'How long sales wait for what is ours: to make the answer, and to write the promise. The objective is one second for nineteen of twenty calls.',
        runbook: 'objectives',
        bounds: { bad: 1 },
      },
    ),
    lines(
      'Own settling',
      'ops',
      {
        '{{network}} {{outcome}}':
          'sum by (network, outcome) (rate(farebox_settle_transfers_total[$__rate_interval])) > 0',
        '{{network}} raised': 'sum by (network) (rate(farebox_settle_raises_total[$__rate_interval])) > 0',
      },
      {
        description:
          'By network: moved, found in the transaction of another, or missed; and fees that were raised.',
        runbook: 'settlegaslow',
      },
    ),
    lines(
      'Gas of a sale',
      'short',
      {
        '{{network}}':
          'sum by (network) (rate(farebox_settle_gas_total[$__rate_interval])) / sum by (network) (rate(farebox_settle_transfers_total[$__rate_interval]))',
      },
      { description: 'Many sales in one transaction take less of it for each.', runbook: 'settlegaslow' },
    ),
    lines(
      'Fees of own settling, an hour',
      'short',
      { '{{network}}': 'sum by (network) (rate(farebox_settle_fees_coins_total[$__rate_interval])) * 3600' },
      { description: 'In coins of the network.', runbook: 'settlegaslow' },
    ),
    lines(
      'Coins of the keys that pay fees',
      'short',
      { '{{network}} {{key}}': 'min by (network, key) (farebox_settle_key_coins)' },
      { description: 'What each key has left, in coins of its network.', runbook: 'settlegaslow' },
    ),
    lines(
      'Large answers',
      'ops',
      {
        '{{call}} {{outcome}}': 'sum by (call, outcome) (rate(farebox_blob_seconds_count[$__rate_interval]))',
      },
      { description: 'Calls of the store of large answers, by call and outcome.', runbook: 'blobsfailing' },
    ),
  ],
}
