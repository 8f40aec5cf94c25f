/** Who buys, when for the first and the last time, and what with what: addresses as their chains show them, and nothing else of anybody. */
import { z } from 'zod'
import { type Field, field, latest } from './dataset/dataset.ts'
import { Decimal, Instant, IsoDate } from './values/values.ts'

interface OfSettlement {
  spend_id: string
}

const moment = "DateTime64(3, 'UTC')"
const sums = {
  purchases: field(z.int(), 'UInt64', 'How often he bought'),
  usdc: field(Decimal, 'Decimal(38, 6)', 'For how much'),
  mark: field(z.int(), 'UInt64', 'Which sales were summed'),
}
const ofMonth = {
  month: field(z.int(), 'UInt32', 'The month, as in 202611'),
  first_at: field(Instant, moment, 'The first purchase of the month'),
  last_at: field(Instant, moment, 'The last one'),
  tools: field(z.array(z.string()), 'Array(LowCardinality(String))', 'What he bought'),
}
const summed = { purchases: 'count()', usdc: 'sum(amount_usdc)' }

/** EVM addresses may be written in either case. What our canary bought is no revenue. */
const payersOf = (table: string) =>
  `(select * except payer, if(startsWith(payer, '0x'), lower(payer), payer) as payer from ${table} as t where t.payer global not in (select payer from canary_purchases))`

/** Fields of the facts. */
type SummedApart = { network: Field; payer: Field }

const key = ['spend_id'] as const
const of = "state = 'settled'"
const asOf = 'as they were at the last check of the data'

const payersView = (fields: SummedApart) =>
  latest<OfSettlement>({
    name: 'payers',
    about: `A row per payer: the first and the last purchase, how many, for how much, of how many operations, ${asOf}`,
    key,
    of,
    required: false,
    summed: {
      table: 'payer_months',
      about: 'The sales of each payer by month, from which `payers` and `bought_together` are read',
      by: ['month', 'network', 'payer'],
      fields: { ...sums, ...ofMonth, ...fields },
      from: 'sales',
      time: 'at',
      of: 'true',
      sums: {
        ...summed,
        first_at: 'min(at)',
        last_at: 'max(at)',
        tools: 'groupUniqArray(operation)',
      },
    },
    sql: () => `
    select payer, groupUniqArray(toString(network)) as networks, min(m.first_at) as first_at, max(m.last_at) as last_at, sum(m.purchases) as purchases,
      sum(m.usdc) as usdc, uniqExactArray(m.tools) as operations
    from ${payersOf('payer_months')} as m group by payer`,
    columns: {
      networks: 'The chains that it has paid on',
      first_at: 'When it bought first',
      last_at: 'When it bought last',
      purchases: 'How often',
      usdc: 'For how much, in all',
      operations: 'How many operations it has bought',
    },
  })

const cohortsView = ({ payer }: SummedApart) =>
  latest<OfSettlement>({
    name: 'payer_cohorts',
    about: `Payers by the week of their first purchase: how many of them buy in that week and in each week after it, ${asOf}`,
    key,
    of,
    required: false,
    summed: {
      table: 'cohort_weeks',
      about: 'The sales of each payer by week, from which `payer_cohorts` is read',
      by: ['week', 'payer'],
      fields: { ...sums, week: field(IsoDate, 'Date', 'The Monday of the week'), payer },
      from: 'sales',
      time: 'at',
      of: 'true',
      sums: summed,
    },
    sql: () => `
  select week, weeks_after, count() as payers, sum(bought.2) as purchases, sum(bought.3) as usdc
  from (
    select min(w.week) as week, arrayJoin(arrayZip((sumMap([w.week], [w.purchases], [w.usdc]) as each).1, each.2, each.3)) as bought,
      intDiv(bought.1 - week, 7) as weeks_after
    from ${payersOf('cohort_weeks')} as w group by payer
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
  about: `What is bought with what: for each two operations how many payers have bought both, ${asOf}`,
  key,
  of,
  required: false,
  sql: () => `
  select one.1 as tool, other.1 as with_tool, bitmapAndCardinality(one.2, other.2) as payers
  from (
    select groupArray((tool, who)) as all, arrayJoin(all) as one
    from (
      select tool, groupBitmapState(nth) as who
      from (select toUInt32(rowNumberInAllBlocks()) as nth, tools from (select groupUniqArrayArray(tools) as tools from ${payersOf('payer_months')} group by payer))
      array join tools as tool group by tool
    )
  ) array join all as other
  where one.1 <> other.1 and payers > 0`,
  columns: {
    tool: 'An operation',
    with_tool: 'Another one',
    payers: 'Payers who have bought both, at any time',
  },
})

export const payerViewsOf = (fields: SummedApart) => [payersView(fields), cohortsView(fields), together]
