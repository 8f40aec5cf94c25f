import { type Board, columns, count, rows } from '../board.ts'

const newest = 'week = (select max(week) from market_weeks)'

export const market: Board = {
  uid: 'farebox-market',
  title: 'Market',
  description: 'Who sells over x402, what do they earn, and do buyers come back?',
  from: 'now-30d',
  glance: [
    count('Sellers', 'short', `select count() from market_weeks where ${newest}`, {
      description: 'Of the newest week.',
      runbook: 'analysts',
    }),
    count(
      'Revenue of 30 days',
      'currencyUSD',
      `select sum(est_revenue_usd) from market_weeks where ${newest}`,
      {
        description: 'Estimated, of all sellers of the newest week.',
        runbook: 'analysts',
      },
    ),
    count(
      'Sellers with returning buyers',
      'percentunit',
      `select countIf(repeat_buyers) / count() from market_weeks where ${newest}`,
      {
        description: 'Of the sellers of the newest week.',
        runbook: 'analysts',
      },
    ),
  ],
  panels: [
    rows(
      'The first sellers',
      'short',
      `select rank, host, est_revenue_usd, calls, paying_wallets_max, repeat_buyers from market_weeks where ${newest} order by rank limit 50`,
      { description: 'Of the newest week, by estimated revenue.', runbook: 'analysts' },
    ),
    columns(
      'From week to week',
      'currencyUSD',
      'select week, sum(est_revenue_usd) as revenue from market_weeks group by week order by week',
      { description: 'The estimated revenue of all sellers, by week.', runbook: 'analysts' },
    ),
    columns(
      'Payments a day',
      'short',
      'select toString(toDate(at)) as day, count() as payments from chain_payments where $__timeFilter(at) group by day order by day',
      {
        description: 'Payments to sellers that were seen on the chains, in the time shown.',
        runbook: 'analysts',
      },
    ),
  ],
}
