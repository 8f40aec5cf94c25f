/** The three questions that every board answers first. */
import { stat } from './board.ts'

export const isItWell = [
  stat('Is money safe?', 'short', 'max(farebox_payments_unresolved)', {
    description: 'Payments whose outcome nobody knows yet. More than none for minutes is an alert.',
    runbook: 'paymentsunresolved',
    bounds: { bad: 1 },
    words: { 0: 'all known' },
  }),
  stat(
    'Is data fresh?',
    'percentunit',
    `max(
  (time() - max by (source) (farebox_source_polled_timestamp_seconds))
  / on (source) max by (source) (farebox_source_silent_after_seconds)
)`,
    {
      description:
        'The age of the oldest source, as a share of what it may be. Above 100% its answers are refused, free of charge.',
      runbook: 'sourcestale',
      bounds: { warn: 0.8, bad: 1 },
    },
  ),
  stat(
    'Is it fast?',
    's',
    'histogram_quantile(0.95, sum by (le) (rate(farebox_call_seconds_bucket[$__range])))',
    {
      description: 'Nineteen of twenty paid calls took no longer than this, settlement on chain included.',
      runbook: 'objectives',
      bounds: { warn: 3, bad: 5 },
    },
  ),
]
