import { type Board, lines, stat } from '../board.ts'
import { isItWell } from '../glance.ts'

const runbook = 'subscriptions'

export const watching: Board = {
  uid: 'farebox-watching',
  title: 'Watching',
  description: 'Is every watched endpoint checked in time, and does every webhook hear of what happened?',
  glance: [
    ...isItWell,
    stat('Endpoints watched', 'short', 'sum(farebox_endpoints_watched)', {
      description: 'Endpoints of others with a subscription that has not ended.',
      runbook,
    }),
    stat('Checks late', 's', 'max(farebox_endpoint_checks_late_seconds)', {
      description:
        'How long the oldest check that is due has waited. A payee change is told within 16 minutes.',
      runbook: 'checkslate',
      bounds: { warn: 60, bad: 120 },
    }),
    stat('Webhooks late', 's', 'max(farebox_webhooks_late_seconds)', {
      description: 'How long the oldest delivery that is due has waited.',
      runbook: 'webhookslate',
      bounds: { warn: 30, bad: 300 },
    }),
  ],
  panels: [
    lines(
      'Checks by verdict',
      'ops',
      { '{{verdict}}': 'sum by (verdict) (rate(farebox_endpoint_checks_total[$__rate_interval]))' },
      {
        description:
          'Unknown means that nobody can tell: our own network is gone, or the seller asks for patience.',
        runbook: 'checksunknown',
      },
    ),
    lines(
      'Deliveries by outcome',
      'ops',
      { '{{outcome}}': 'sum by (outcome) (rate(farebox_webhook_attempts_total[$__rate_interval]))' },
      {
        description: 'Attempts to deliver an event. Receivers that fail are tried again for 75 hours.',
        runbook: 'webhooksfail',
      },
    ),
    lines(
      'Events that wait',
      'short',
      { '{{instance}}': 'sum by (instance) (farebox_webhooks_open)' },
      { description: 'Events that are not delivered yet. They survive a restart.', runbook },
    ),
    lines(
      'Events given up',
      'short',
      { '{{reason}}': 'sum by (reason) (increase(farebox_webhooks_dead_total[$__rate_interval]))' },
      {
        description: 'They stand in `webhook_dead` with the reason, and their subscribers can replay them.',
        runbook,
      },
    ),
    lines(
      'Questions without a key',
      'short',
      { '{{instance}}': 'increase(farebox_watch_questions_sealed_total[$__rate_interval])' },
      {
        description:
          'Subscriptions that are watched no more, because the key that sealed their question is gone.',
        runbook,
      },
    ),
  ],
}
