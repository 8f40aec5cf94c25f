/** What an analyst asks of the market: payments, sellers and weeks, each as one statement. */
export const questions: Record<string, string> = {
  'the first sellers of the newest week': `
    select rank, host, est_revenue_usd, calls, paying_wallets_max, repeat_buyers, arrayMap(p -> p.code, patterns) as labels
    from market_weeks where week = (select max(week) from market_weeks) order by rank limit 5`,
  'how the market went from week to week': `
    select week, count() as sellers, sum(calls) as calls, sum(est_revenue_usd) as est_revenue_usd, countIf(repeat_buyers) as with_returning_buyers
    from market_weeks group by week order by week`,
  'who rose and who fell': `
    select host, groupArray(rank) as ranks, ranks[1] - ranks[-1] as places_won
    from (select host, week, rank from market_weeks order by host, week) group by host having length(ranks) > 1
    order by abs(places_won) desc, host limit 5`,
  'who is new this week': `
    select host, rank from market_weeks where week = (select max(week) from market_weeks)
      and host not in (select host from market_weeks where week < (select max(week) from market_weeks))
    order by rank`,
  'which labels were given, and on whose word': `
    select p.code as label, p.witness as witness, p.severity as severity, count() as sellers
    from market_weeks array join patterns as p where week = (select max(week) from market_weeks)
    group by label, witness, severity order by sellers desc, label`,
  'the numbers behind a label': `
    select host, p.evidence as evidence from market_weeks array join patterns as p
    where p.code = 'circular_funding' order by week desc, host limit 3`,
  'payments and dollars by network and day': `
    select network, toDate(at) as day, count() as payments, sum(amount) as usdc, uniqExact(payer) as wallets
    from chain_payments where method != 'plain' group by network, day order by day desc, network limit 5`,
  'wallets that pay the most sellers': `
    select payer, count() as sellers, sum(payments) as payments, any(sweeper) as counts_as_sweeper
    from market_payers group by payer order by sellers desc, payer limit 4`,
  'how sure it is that buyers come back': `
    select host, returning, customers, round(returning / customers, 2) as share from market_chain
    where customers >= 10 order by share desc, host limit 5`,
  'what each category charges': `
    select category, count() as endpoints, round(quantileExact(0.5)(price_usd), 4) as median_usd, max(price_usd) as dearest_usd
    from market_endpoints where week = (select max(week) from market_weeks) group by category order by endpoints desc limit 5`,
  'which builds went on sale': `
    select at, week, outcome, reasons, sellers, round(chain_coverage, 2) as read_on_chain from market_builds order by at`,
}
