import { type Board, lines, stat } from '../board.ts'
import { isItWell } from '../glance.ts'

export const process: Board = {
  uid: 'farebox-process',
  title: 'Process',
  description: 'Does every process run, and with room to spare?',
  glance: [
    ...isItWell,
    stat(
      'Instances that answer',
      'percentunit',
      'sum(up{job=~"ingest|worker|query|render"}) / count(up{job=~"ingest|worker|query|render"})',
      {
        description: 'Of all that Prometheus knows.',
        runbook: 'instancedown',
        bounds: { bad: 1, below: true },
      },
    ),
    stat('Alerts firing', 'short', 'count(ALERTS{alertstate="firing"}) or vector(0)', {
      description: 'Alerts of alerts.yaml and slo.yaml that fire now.',
      runbook: 'alerts',
      bounds: { bad: 1 },
    }),
    stat(
      'Budget of the month, fastest spent',
      'short',
      'max(slo:errors:6h / on (slo) group_left () slo:budget)',
      {
        description: '1 spends the room for failure in exactly 30 days; 6 in five.',
        runbook: 'objectives',
        bounds: { warn: 1, bad: 6 },
      },
    ),
  ],
  panels: [
    lines(
      'Instances',
      'short',
      { '{{job}}': 'sum by (job) (up)' },
      { description: 'Those that answer /metrics, by role.', runbook: 'instancedown' },
    ),
    lines(
      'Event loop lag, p99',
      's',
      { '{{job}} {{instance}}': 'farebox_nodejs_eventloop_lag_p99_seconds' },
      {
        description: 'Above a tenth of a second something computes where it must wait.',
        runbook: 'instancedown',
        bounds: { bad: 0.1 },
      },
    ),
    lines(
      'Memory',
      'bytes',
      {
        'resident {{job}} {{instance}}': 'farebox_process_resident_memory_bytes',
        'heap {{job}} {{instance}}': 'farebox_nodejs_heap_size_used_bytes',
      },
      { description: 'Resident, and the part of it that is JavaScript heap.', runbook: 'instancedown' },
    ),
    lines(
      'Processor',
      'percentunit',
      { '{{job}} {{instance}}': 'rate(farebox_process_cpu_seconds_total[$__rate_interval])' },
      {
        description: '1 is one core busy. JavaScript itself has one.',
        runbook: 'instancedown',
        bounds: { warn: 0.7, bad: 0.9 },
      },
    ),
    lines(
      'Calls in flight',
      'short',
      { '{{instance}}': 'max by (instance) (farebox_calls_in_flight)' },
      {
        description:
          'Paid calls that an instance is answering. Where it autoscales, 500 for each instance are the aim.',
        runbook: 'kubernetes',
      },
    ),
    lines(
      'Open files and sockets',
      'short',
      { '{{job}} {{instance}}': 'farebox_process_open_fds' },
      { description: 'A line that only climbs is a leak.', runbook: 'instancedown' },
    ),
    lines(
      'Starts',
      'short',
      { '{{job}}': 'sum by (job) (changes(farebox_process_start_time_seconds[$__range]))' },
      {
        description: 'How often the processes of a role began anew in the time shown.',
        runbook: 'instancedown',
      },
    ),
  ],
}
