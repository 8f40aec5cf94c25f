import { type Board, lines, stat } from '../board.ts'
import { isItWell } from '../glance.ts'

export const sales: Board = {
  uid: 'farebox-sales',
  title: 'Sales',
  description: 'What is sold, to whom is it refused, and what does it bring?',
  glance: [
    ...isItWell,
    stat('USDC settled', 'currencyUSD', 'sum(increase(farebox_revenue_usdc_total[$__range]))', {
      description: 'In the time shown. The record of every cent is the view `receipts` in ClickHouse.',
      runbook: 'revenuestopped',
    }),
    stat('Payments settled', 'short', 'sum(increase(farebox_settlements_total{state="settled"}[$__range]))', {
      description: 'In the time shown, each payment once.',
      runbook: 'revenuestopped',
    }),
    stat('Calls answered', 'percentunit', '1 - slo:errors:1h{slo="availability"}', {
      description: 'Of the calls of the last hour, those that did not end in a 5xx. 99.9% is promised.',
      runbook: 'servererrors',
      bounds: { warn: 0.999, bad: 0.99, below: true },
    }),
  ],
  panels: [
    lines(
      'USDC an hour',
      'currencyUSD',
      {
        '{{operation}} {{network}}':
          'topk(10, sum by (operation, network) (rate(farebox_revenue_usdc_total[$__rate_interval])) * 3600 > 0)',
      },
      {
        description:
          'What is earned at the rate of the moment, by operation and network: the ten that earn most.',
        runbook: 'revenuestopped',
      },
    ),
    lines(
      'Settlements',
      'ops',
      {
        '{{origin}} {{state}}':
          'sum by (origin, state) (rate(farebox_settlements_total[$__rate_interval])) > 0',
      },
      {
        description: 'By origin and state. `unknown` must come to nothing within minutes.',
        runbook: 'paymentsunresolved',
      },
    ),
    lines(
      'Quotes',
      'reqps',
      { '{{operation}}': 'topk(10, sum by (operation) (rate(farebox_quotes_total[$__rate_interval])))' },
      {
        description: 'Unpaid calls that were told the price: the ten operations with the most.',
        runbook: 'revenuestopped',
      },
    ),
    lines(
      'Calls by status',
      'reqps',
      { '{{status}}': 'sum by (status) (rate(farebox_calls_total[$__rate_interval]))' },
      {
        description: 'Answers of paid operations. A 5xx is ours or an upstream’s, and free of charge.',
        runbook: 'servererrors',
      },
    ),
    lines(
      'Refusals by code',
      'reqps',
      {
        '{{operation}} {{code}}':
          'topk(10, sum by (operation, code) (rate(farebox_refusals_total[$__rate_interval])))',
      },
      {
        description: 'Free refusals and failures, by operation and code: the ten with the most.',
        runbook: 'servererrors',
      },
    ),
    lines(
      'Sold of what was asked',
      'percentunit',
      {
        '{{origin}}':
          'sum by (origin) (rate(farebox_settlements_total{state="settled"}[$__rate_interval])) / (sum by (origin) (rate(farebox_quotes_total[$__rate_interval])) > 0)',
      },
      {
        description:
          'Payments for each quote, by origin. Callers who keep a quote pay more often than they ask.',
        runbook: 'revenuestopped',
      },
    ),
    lines(
      'Paid call',
      's',
      {
        'p50 {{operation}}':
          'topk(5, histogram_quantile(0.5, sum by (le, operation) (rate(farebox_call_seconds_bucket[$__rate_interval]))) > 0)',
        'p95 {{operation}}':
          'topk(5, histogram_quantile(0.95, sum by (le, operation) (rate(farebox_call_seconds_bucket[$__rate_interval]))) > 0)',
      },
      {
        description:
          'From the request to the answer, settlement included, of calls that succeeded: the five slowest operations.',
        runbook: 'objectives',
      },
    ),
    lines(
      'Replays',
      'reqps',
      { '{{operation}}': 'sum by (operation) (rate(farebox_replays_total[$__rate_interval]))' },
      {
        description: 'Paid answers that were given again without a charge, by operation.',
        runbook: 'servererrors',
      },
    ),
    lines(
      'Free calls',
      'reqps',
      {
        '{{operation}} {{status}}':
          'topk(10, sum by (operation, status) (rate(farebox_free_calls_total[$__rate_interval])))',
      },
      {
        description:
          'Answers of the routes that cost nothing, by operation and status: the ten with the most.',
        runbook: 'servererrors',
      },
    ),
  ],
}
