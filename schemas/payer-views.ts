/** Who buys, when for the first and the last time, and what with what: addresses as their chains show them, and nothing else of anybody. */
import { latest } from './dataset/dataset.ts'

interface OfSettlement {
  spend_id: string
}

/** EVM addresses may be written in either case. What our canary bought is no revenue. */
const sales = `select if(startsWith(payer, '0x'), lower(payer), payer) as payer, network, at, tool, price_usdc from receipts where not canary`

const key = ['spend_id'] as const
const of = "state = 'settled'"

const payers = latest<OfSettlement>({
  name: 'payers',
  about: 'A row per payer: the first and the last purchase, how many, for how much, of how many operations',
  key,
  of,
  required: false,
  sql: () => `
    select payer, groupUniqArray(toString(network)) as networks, min(at) as first_at, max(at) as last_at, count() as purchases,
      sum(price_usdc) as usdc, uniqExact(tool) as operations
    from (${sales}) group by payer`,
  columns: {
    networks: 'The chains that it has paid on',
    first_at: 'When it bought first',
    last_at: 'When it bought last',
    purchases: 'How often',
    usdc: 'For how much, in all',
    operations: 'How many operations it has bought',
  },
})

const cohorts = latest<OfSettlement>({
  name: 'payer_cohorts',
  about:
    'Payers by the week of their first purchase: how many of them buy in that week and in each week after it',
  key,
  of,
  required: false,
  sql: () => `
    select week, weeks_after, uniqExact(payer) as payers, count() as purchases, sum(price_usdc) as usdc
    from (
      select payer, price_usdc, toMonday(first_at, 'UTC') as week, intDiv(toMonday(at, 'UTC') - toMonday(first_at, 'UTC'), 7) as weeks_after
      from (select payer, at, price_usdc, min(at) over (partition by payer) as first_at from (${sales}))
    ) group by week, weeks_after`,
  columns: {
    week: 'The Monday of the week in which they bought first',
    weeks_after: 'So many weeks later; 0: in that week',
    payers: 'How many of them bought then',
    purchases: 'How often',
    usdc: 'For how much',
  },
})

const together = latest<OfSettlement>({
  name: 'bought_together',
  about: 'What is bought with what: for each two operations how many payers have bought both',
  key,
  of,
  required: false,
  sql: () => `
    select one.tool as tool, other.tool as with_tool, count() as payers
    from (select distinct payer, tool from (${sales})) as one
    inner join (select distinct payer, tool from (${sales})) as other on other.payer = one.payer
    where one.tool <> other.tool group by tool, with_tool`,
  columns: {
    tool: 'An operation',
    with_tool: 'Another one',
    payers: 'Payers who have bought both, at any time',
  },
})

export const payerViews = [payers, cohorts, together]
