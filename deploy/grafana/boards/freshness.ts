import { type Board, bars, lines, stat } from '../board.ts'
import { isItWell } from '../glance.ts'

export const freshness: Board = {
  uid: 'farebox-freshness',
  title: 'Freshness',
  description: 'Does every source bring new facts, and are the answers that depend on it sold?',
  glance: [
    ...isItWell,
    stat('Sources too old', 'short', 'count(slo:failing{slo="freshness"} == 1) or vector(0)', {
      description: 'Sources without a good poll for longer than they may be.',
      runbook: 'sourcestale',
      bounds: { bad: 1 },
    }),
    stat(
      'Polls that fail',
      'percentunit',
      'sum(rate(farebox_polls_total{outcome="failed"}[$__range])) / sum(rate(farebox_polls_total[$__range])) or vector(0)',
      {
        description: 'Of all polls in the time shown. A failed poll is tried again at its next time.',
        runbook: 'sourcestale',
        bounds: { warn: 0.05, bad: 0.25 },
      },
    ),
    stat(
      'Refused as stale',
      'reqps',
      'sum(rate(farebox_refusals_total{code="stale_data"}[$__range])) or vector(0)',
      {
        description: 'Calls that were refused because the facts were too old, free of charge.',
        runbook: 'sourcestale',
        bounds: { bad: 0.01 },
      },
    ),
  ],
  panels: [
    bars(
      'Age, as a share of what is allowed',
      'percentunit',
      {
        '{{source}}':
          '(time() - max by (source) (farebox_source_polled_timestamp_seconds)) / on (source) max by (source) (farebox_source_silent_after_seconds)',
      },
      {
        description: 'At 100% SourceStale fires. Each source says its own limit.',
        runbook: 'sourcestale',
        bounds: { warn: 0.8, bad: 1 },
      },
    ),
    lines(
      'Since the last good poll',
      's',
      { '{{source}}': 'time() - max by (source) (farebox_source_polled_timestamp_seconds)' },
      {
        description: 'By source. A line that climbs is a source that no longer answers.',
        runbook: 'sourcestale',
      },
    ),
    lines(
      'Polls by outcome',
      'opm',
      {
        '{{source}} {{outcome}}':
          'sum by (source, outcome) (rate(farebox_polls_total[$__rate_interval])) * 60',
      },
      {
        description:
          'changed: new facts. unchanged: a good answer with nothing new. failed: the world failed.',
        runbook: 'sourcestale',
      },
    ),
    lines(
      'Poll, p95',
      's',
      {
        '{{source}}':
          'histogram_quantile(0.95, sum by (le, source) (rate(farebox_poll_seconds_bucket[$__rate_interval])))',
      },
      { description: 'How long a poll takes, by source.', runbook: 'sourcestale' },
    ),
    lines(
      'Room for failure, spent',
      'percentunit',
      { '{{source}}': 'slo:errors:3d{slo="freshness"}' },
      {
        description:
          'The share of three days in which the source was too old. 0.5% is the budget of a month.',
        runbook: 'budgetburnsslowly',
        bounds: { bad: 0.005 },
      },
    ),
    lines(
      'Drift of upstreams',
      'short',
      {
        '{{source}} {{kind}}':
          'sum by (source, kind) (increase(farebox_upstream_drift_total[$__rate_interval]))',
      },
      {
        description: 'Records that no longer look as we know them. The log of ingest shows a sample.',
        runbook: 'upstreamdrifts',
      },
    ),
    lines(
      'Feeds that were missed',
      'short',
      {
        '{{source}} {{feed}}':
          'sum by (source, feed) (increase(farebox_source_missed_feeds_total[$__rate_interval]))',
      },
      {
        description: 'Feeds that failed in a poll which another feed of the source made good.',
        runbook: 'sourcestale',
      },
    ),
    lines(
      'Who does what',
      'short',
      { '{{duty}}': 'sum by (duty) (farebox_duty_held)' },
      {
        description: 'The processes that hold each duty: one. None for more than 20 seconds: its work rests.',
        runbook: 'dutyvacant',
      },
    ),
    lines(
      'Lookups by outcome',
      'ops',
      {
        '{{lookup}} {{outcome}}':
          'topk(10, sum by (lookup, outcome) (rate(farebox_lookups_total[$__rate_interval])))',
      },
      {
        description:
          'Values that are fetched or found when a caller asks for one key: the ten with the most.',
        runbook: 'servererrors',
      },
    ),
    lines(
      'Lookup, p95',
      's',
      {
        '{{lookup}}':
          'topk(10, histogram_quantile(0.95, sum by (le, lookup) (rate(farebox_lookup_seconds_bucket[$__rate_interval]))) > 0)',
      },
      {
        description: 'How long a lookup takes, the ten slowest. The caller waits for it.',
        runbook: 'servererrors',
      },
    ),
    lines(
      'Pages rendered',
      'ops',
      { '{{outcome}}': 'sum by (outcome) (rate(farebox_renderings_total[$__rate_interval]))' },
      {
        description: 'By outcome: a page, a refusal, or busy, no_browser and failed, which are ours.',
        runbook: 'renderingsfail',
      },
    ),
    lines(
      'Rendering, p95',
      's',
      {
        p95: 'histogram_quantile(0.95, sum by (le) (rate(farebox_render_seconds_bucket[$__rate_interval])))',
      },
      {
        description: 'How long the browser takes for a page. The caller waits for it.',
        runbook: 'renderingsfail',
      },
    ),
    lines(
      'Memory of the browser',
      'bytes',
      { '{{instance}}': 'farebox_browser_bytes' },
      {
        description:
          'What it shares with nobody. Above 800 MB, and after 500 pages, a new one takes its place.',
        runbook: 'roles',
        bounds: { warn: 800 << 20, bad: 1600 << 20 },
      },
    ),
    bars(
      'Age of the IP database',
      's',
      { '{{instance}}': 'time() - farebox_ip_database_built_timestamp_seconds' },
      {
        description: 'Of the edition in use, by instance. A new one comes every month.',
        runbook: 'ipdatabaseold',
        bounds: { warn: 45 * 86400, bad: 70 * 86400 },
      },
    ),
    lines(
      'Disagreements about the EU',
      'short',
      { '{{country}}': 'max by (country) (farebox_ip_eu_disagreements)' },
      {
        description: 'Countries whose membership the IP database and our list tell differently.',
        runbook: 'eulistsdisagree',
        bounds: { bad: 1 },
      },
    ),
  ],
}
