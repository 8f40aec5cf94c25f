import { type Board, columns, count, rows } from '../board.ts'

const today = "day = toDate(now(), 'UTC')"

export const door: Board = {
  uid: 'farebox-door',
  title: 'Door',
  description: 'What is asked, and what of it is not sold?',
  from: 'now-7d',
  glance: [
    count('Quotes today', 'short', `select sum(quoted) from door_funnel where ${today}`, {
      description: 'Calls without a payment that were told the price.',
      runbook: 'the-door',
    }),
    count('Sales today', 'short', `select sum(paid) from door_funnel where ${today}`, {
      description: 'Calls that were sold.',
      runbook: 'the-door',
    }),
    count(
      'Sales for each quote today',
      'percentunit',
      `select sum(paid) / sum(quoted) from door_funnel where ${today}`,
      {
        description: 'The conversion of all operations together.',
        runbook: 'conversionhalved',
      },
    ),
    count(
      'Refused with a payment today',
      'short',
      `select sum(with_payment) from door_unsold where ${today}`,
      { description: 'Each may be a lost sale.', runbook: 'the-door', bounds: { bad: 1_000_000, warn: 1 } },
    ),
  ],
  panels: [
    rows(
      'Asked and not sold',
      'short',
      'select operation, outcome, code, sum(asked) as asked, sum(with_payment) as with_payment from door_unsold where $__dateFilter(day) group by operation, outcome, code order by with_payment desc, asked desc limit 100',
      {
        description: 'By reason, in the time shown: those that came with a payment first.',
        runbook: 'the-door',
      },
    ),
    rows(
      'Shapes of questions that were refused',
      'short',
      "select operation, code, shape, sum(asked) as asked from door_unsold where $__dateFilter(day) and shape <> '' group by operation, code, shape order by asked desc limit 100",
      {
        description: 'Names of fields with the kinds of their values, where DOOR_SHAPES is 1.',
        runbook: 'the-door',
      },
    ),
    columns(
      'Calls a day',
      'short',
      'select toString(day) as date, sum(quoted) as quoted, sum(paid) as paid, sum(refused) as refused, sum(limited) as limited, sum(failed) as failed from door_funnel where $__dateFilter(day) group by date order by date',
      { description: 'By their outcome, in the time shown.', runbook: 'the-door' },
    ),
    rows(
      'How callers come',
      'short',
      'select protocol, network, client, sum(asked) as asked, sum(paid) as paid, sum(refused) as refused from door_ways where $__dateFilter(day) group by protocol, network, client order by asked desc limit 60',
      { description: 'By protocol, network and family of their program.', runbook: 'the-door' },
    ),
    rows(
      'How long a sale takes',
      's',
      'select operation, max(half_within_ms) / 1000 as half_within, max(most_within_ms) / 1000 as most_within from door_funnel where $__dateFilter(day) and paid > 0 group by operation order by most_within desc limit 60',
      {
        description:
          'Half of the sales, and 95 of a hundred, were answered within this time on the slowest day shown.',
        runbook: 'the-door',
      },
    ),
  ],
}
