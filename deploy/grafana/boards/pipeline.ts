import { type Board, lines, stat } from '../board.ts'
import { isItWell } from '../glance.ts'

export const pipeline: Board = {
  uid: 'farebox-pipeline',
  title: 'Pipeline',
  description: 'Do facts pass from the log into the store, and is none lost or refused on the way?',
  glance: [
    ...isItWell,
    stat('Store', 'short', 'min(farebox_store_up)', {
      description:
        'Down as soon as one instance cannot reach ClickHouse. Held answers are sold all the same.',
      runbook: 'storedown',
      bounds: { bad: 1, below: true },
      words: { 0: 'down', 1: 'up' },
    }),
    stat('Furthest behind', 'short', 'max(farebox_log_lag_records)', {
      description: 'Records that the slowest group has not handled yet.',
      runbook: 'sinklaggrowing',
      bounds: { warn: 1000, bad: 10_000 },
    }),
    stat('Refused events', 'short', 'sum(increase(farebox_sink_rejects_total[$__range])) or vector(0)', {
      description: 'In the time shown. They stand in the table `rejects` with the reason.',
      runbook: 'eventsrejected',
      bounds: { bad: 1 },
    }),
  ],
  panels: [
    lines(
      'Behind in the log',
      'short',
      { '{{group}} {{topic}}': 'max by (topic, group) (farebox_log_lag_records) > 0' },
      {
        description: 'Records that a group has not handled yet, by topic and group.',
        runbook: 'sinklaggrowing',
      },
    ),
    lines(
      'Late in the log',
      's',
      { '{{group}} {{topic}}': 'max by (topic, group) (farebox_log_lag_seconds) > 0' },
      {
        description: 'How long the oldest record that a group has not handled has waited.',
        runbook: 'sinklate',
      },
    ),
    lines(
      'Rows into the store',
      'ops',
      { '{{table}}': 'topk(10, sum by (table) (rate(farebox_sink_rows_total[$__rate_interval])))' },
      { description: 'The ten tables with the most.', runbook: 'sinklaggrowing' },
    ),
    lines(
      'Refused events by topic',
      'short',
      { '{{topic}}': 'sum by (topic) (increase(farebox_sink_rejects_total[$__rate_interval]))' },
      {
        description: 'Events that their dataset refused. An upstream has probably changed its format.',
        runbook: 'eventsrejected',
      },
    ),
    lines(
      'Events of a newer version by topic',
      'short',
      {
        'more columns, {{topic}}':
          'sum by (topic) (increase(farebox_log_newer_events_total[$__rate_interval]))',
        'not readable, {{topic}}':
          'sum by (topic) (increase(farebox_log_unread_events_total[$__rate_interval]))',
      },
      {
        description:
          'With more columns: readers take the others, and the sink waits for the newer version. Not readable: not sold.',
        runbook: 'eventsrejected',
      },
    ),
    lines(
      'Inserts tried again',
      'ops',
      { '{{table}}': 'sum by (table) (rate(farebox_sink_retries_total[$__rate_interval]))' },
      { description: 'By table: the store was away.', runbook: 'storedown' },
    ),
    lines(
      'Restarts of the embedded engine',
      'short',
      { '{{instance}}': 'sum by (instance) (increase(farebox_store_restarts_total[$__rate_interval]))' },
      { description: 'Only where STORE_URL is embedded.', runbook: 'storedown' },
    ),
    lines(
      'Attestations without a signed head',
      'short',
      { '{{instance}}': 'farebox_attest_log_unsigned' },
      {
        description: 'Entries of the log of attestations that no head covers yet. Each is signed at once.',
        runbook: 'attestationsunsigned',
        bounds: { bad: 1 },
      },
    ),
    lines(
      'Chain read up to',
      's',
      { '{{network}}': 'time() - max by (network) (farebox_chain_read_timestamp_seconds)' },
      { description: 'How far behind the chain the payments in the log are.', runbook: 'sourcestale' },
    ),
    lines(
      'Blocks missing',
      'short',
      { '{{network}}': 'max by (network) (farebox_chain_gap_blocks)' },
      { description: 'Known gaps in what was read of a chain, still to be filled.', runbook: 'sourcestale' },
    ),
    lines(
      'Errors of nodes',
      'ops',
      { '{{network}}': 'sum by (network) (rate(farebox_rpc_errors_total[$__rate_interval]))' },
      { description: 'Calls that a node of a chain refused or did not answer.', runbook: 'sourcestale' },
    ),
    lines(
      'Changes of node',
      'ops',
      { '{{network}}': 'sum by (network) (rate(farebox_rpc_switches_total[$__rate_interval]))' },
      { description: 'Turns to the next node of the list, after errors in a row.', runbook: 'sourcestale' },
    ),
  ],
}
