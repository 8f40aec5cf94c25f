import { type Board, columns, count, rows } from '../board.ts'

export const books: Board = {
  uid: 'farebox-books',
  title: 'Books',
  description: 'What was sold, what is it worth, and do the books agree with the chains?',
  from: 'now-30d',
  glance: [
    count('Differences', 'short', 'select count() from book_differences_open', {
      description: 'Between the chains and our sales, now.',
      runbook: 'booksdiffer',
      bounds: { bad: 1 },
    }),
    count(
      'Days that are not closed',
      'short',
      "select countIf(not closed) from books_closed where day < toDate(now(), 'UTC') - 1",
      {
        description: 'That ended more than a day ago.',
        runbook: 'daynotclosed',
        bounds: { bad: 1 },
      },
    ),
    count(
      'Revenue of 30 days',
      'currencyUSD',
      'select sum(price_usdc) from receipts where not canary and at > now() - interval 30 day',
      { description: 'In USDC, without what our canary bought.', runbook: 'the-books' },
    ),
    count(
      'Given back in 30 days',
      'currencyUSD',
      'select sum(amount_usdc) from refunded where at > now() - interval 30 day',
      { description: 'Refunds, by the day on which they were paid.', runbook: 'money-back' },
    ),
  ],
  panels: [
    columns(
      'Worth a day in euros',
      'short',
      'select toString(toDate(at)) as day, sum(eur) as eur from receipts_worth where $__timeFilter(at) group by day order by day',
      { description: 'Sales at the rate of their day, in the time shown.', runbook: 'the-books' },
    ),
    rows(
      'The days of the books',
      'short',
      'select day, network, closed, received_usdc, sold_usdc, refunded_usdc, differences, explained, dust_usdc, waiting from books_closed order by day desc, network limit 60',
      { description: 'What came in beside what was sold, by day and network.', runbook: 'the-books' },
    ),
    rows(
      'What differs',
      'short',
      'select day, network, kind, payer, chain_usdc, books_usdc, times, tx from book_differences_open order by day desc limit 100',
      { description: 'Each with its sender and its transaction.', runbook: 'booksdiffer' },
    ),
    columns(
      'Revenue a day',
      'currencyUSD',
      'select toString(toDate(at)) as day, sum(price_usdc) as usdc from receipts where not canary and $__timeFilter(at) group by day order by day',
      { description: 'In USDC, in the time shown.', runbook: 'the-books' },
    ),
    columns(
      'Quotes and sales a day',
      'short',
      'select toString(day) as date, sum(quoted) as quotes, sum(paid) as sales from door_funnel where $__dateFilter(day) group by date order by date',
      { description: 'The funnel from the quote to the sale.', runbook: 'conversionhalved' },
    ),
    rows(
      'Operations',
      'short',
      'select operation, sum(quoted) as quotes, sum(paid) as sold, if(quotes = 0, null, round(sold / quotes, 4)) as conversion from door_funnel where $__dateFilter(day) and quoted + paid > 0 group by operation order by quotes desc limit 60',
      { description: 'The funnel of each, in the time shown.', runbook: 'conversionhalved' },
    ),
    rows(
      'Margin of operations',
      'short',
      'select operation, sum(sales) as sold, sum(revenue_usdc) as revenue, sum(gas_usd) as gas, sum(facilitator_usd) as fees, sum(calls_usd) as called, sum(refunded_usdc) as refunded, sum(margin_usd) as margin from operation_margins where $__dateFilter(day) group by operation order by margin limit 60',
      {
        description:
          'What each has brought and cost in the time shown, the dearest first. A row without a name: what no operation has caused.',
        runbook: 'costs',
      },
    ),
    columns(
      'Margin a day',
      'currencyUSD',
      'select toString(day) as date, sum(revenue_usdc) as revenue, sum(costs_usd) as costs, sum(margin_usd) as margin from operation_margins where $__dateFilter(day) group by date order by date',
      { description: 'Of all operations together.', runbook: 'costs' },
    ),
    rows(
      'Payers by the week of their first purchase',
      'short',
      'select week, weeks_after, payers, purchases, usdc from payer_cohorts order by week desc, weeks_after limit 100',
      { description: 'How many of them buy again in the weeks after.', runbook: 'the-books' },
    ),
  ],
}
