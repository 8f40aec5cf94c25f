import { type Board, columns, count, rows } from '../board.ts'

export const airports: Board = {
  uid: 'farebox-airports',
  title: 'Airport days',
  description: 'Which airports had delays and closures, and when?',
  from: 'now-7d',
  glance: [
    count('Airports with something now', 'short', 'select uniqExact(airport) from airport_now', {
      description: 'Airports with at least one delay, stop or closure in the newest document.',
      runbook: 'analysts',
    }),
    count(
      'Age of the document',
      's',
      "select dateDiff('second', max(feed_updated), now()) from airport_now",
      {
        description: 'Since the FAA wrote the newest document.',
        runbook: 'sourcestale',
        bounds: { warn: 300, bad: 600 },
      },
    ),
    count(
      'Airports named',
      'short',
      "select uniqExact(airport) from airport_events where $__timeFilter(feed_updated) and airport != '*'",
      {
        description: 'In the time shown.',
        runbook: 'analysts',
      },
    ),
  ],
  panels: [
    rows('Now', 'short', 'select airport, type, reason, average_delay from airport_now order by airport', {
      description: 'What is in force at each airport.',
      runbook: 'analysts',
    }),
    columns(
      'Airports with the most trouble',
      'short',
      "select airport, uniqExact(toStartOfHour(feed_updated)) as hours from airport_events where $__timeFilter(feed_updated) and airport != '*' and notEmpty(events) group by airport order by hours desc limit 15",
      {
        description: 'By the hours in which something was in force, in the time shown.',
        runbook: 'analysts',
      },
    ),
    columns(
      'By kind',
      'short',
      "select event.type as type, uniqExact(airport, toDate(feed_updated)) as airport_days from airport_events array join events as event where $__timeFilter(feed_updated) and airport != '*' group by type order by airport_days desc",
      { description: 'Days of airports, by the kind of what was in force.', runbook: 'analysts' },
    ),
  ],
}
