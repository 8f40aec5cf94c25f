/** Days of rates that the European Central Bank has published a second time, with other rates. */
import { defineDataset, field, latest, type RowOf } from './dataset/dataset.ts'
import { fxRates } from './fx-rates.ts'
import { Instant } from './values/values.ts'

const { day, rates } = fxRates.fields

const fields = {
  day,
  at: field(Instant, "DateTime64(3, 'UTC')", 'When we read the new rates'),
  was: { ...rates, about: 'The rates before, as published' },
  rates: { ...rates, about: 'The rates after, as published' },
}

export type FxCorrection = RowOf<typeof fields>

export const fxCorrected = latest<FxCorrection>({
  name: 'fx_corrected',
  about: 'Every correction of a day of euro reference rates: what it was, what it is, and since when',
  key: ['day', 'at'],
  held: true,
  required: false,
})

/** When the rates of a day are published, as SQL. */
const published = `toDateTime64(toDateTime(concat(toString(day), ' 16:00:00'), 'Europe/Berlin'), 3, 'UTC')`

/**
 * The rate of a sale is that of its day, or of the last publication before it. It is known once that day, or a later one, is published:
 * until then there is none, so a worth that was told once stays.
 */
const receiptsWorth = latest<FxCorrection>({
  name: 'receipts_worth',
  about:
    'What each sale is worth in euros, dollars and any currency that the ECB publishes, at the rate of its day',
  key: ['day', 'at'],
  required: false,
  sql: rows => `
    with
      f.day > toDate(0) and (f.day = toDate(r.at) or toDate(r.at) < (select max(day) from fx_rates)) as is_known,
      c.corrected_at > toDateTime64(0, 3, 'UTC') as is_corrected,
      if(is_corrected, c.was_first, f.rates) as first
    select r.at as at, r.request_id as request_id, r.tool as tool, r.network as network, r.price_usdc as price_usdc, r.canary as canary,
      r.spend_id as spend_id, r.price_usdc as usd, if(is_known, toNullable(f.day), null) as rate_day,
      if(is_known, toNullable(divideDecimal(toDecimal128(r.price_usdc, 6), first['USD'], 8)), null) as eur,
      mapFilter((_, rate) -> is_known and rate > 0, first) as rates,
      if(is_known and is_corrected, toNullable(divideDecimal(toDecimal128(r.price_usdc, 6), f.rates['USD'], 8)), null) as eur_corrected,
      if(is_known and is_corrected, toNullable(c.corrected_at), null) as corrected_at
    from receipts as r
    asof left join (select toUInt8(1) as one, day, rates from fx_rates) as f on f.one = toUInt8(r.price_usdc >= 0) and f.day <= toDate(r.at)
    left join (select day, argMin(was, at) as was_first, max(at) as corrected_at from ${rows} group by day) as c on c.day = f.day`,
  columns: {
    at: 'When it was settled',
    request_id: 'The call, as its receipt names it',
    tool: 'What was bought',
    network: 'Where it was paid',
    spend_id: 'The payment: one purchase',
    price_usdc: 'What was paid, in USDC',
    canary: '1 where a canary of ours has bought it: no revenue',
    usd: 'Its worth in dollars: a USDC counts as one',
    rate_day: 'The day of the rates; null as long as they are not known',
    eur: 'Its worth in euros at the rates of that day as they were first published, cut after 8 digits; it never changes',
    rates: "Those rates, in units per euro: eur * rates['GBP'] is its worth in pounds",
    eur_corrected: 'Its worth at the rates as they were corrected later; null where they were not',
    corrected_at: 'When we read the newest correction',
  },
})

/** A day that was corrected has one version before the first correction, and one from each on. */
const fxAsKnown = latest<FxCorrection>({
  name: 'fx_as_known',
  about:
    'Euro reference rates with the time in which each was the one that was known: a correction keeps what it replaced. Of an as_known_at: known_from <= as_known_at and as_known_at < known_until',
  key: ['day', 'at'],
  required: false,
  sql: rows => `
    with corrected as (
      select day, was, rates, at, row_number() over (partition by day order by at) as nth,
        leadInFrame(at, 1, toDateTime64('2299-12-31 00:00:00', 3, 'UTC')) over (partition by day order by at rows between unbounded preceding and unbounded following) as next
      from ${rows}
    ), versions as (
      select day, rates, at as known_from, next as known_until, true as is_correction from corrected
      union all
      select day, was, ${published}, at, false from corrected where nth = 1
      union all
      select day, rates, ${published}, toDateTime64('2299-12-31 00:00:00', 3, 'UTC'), false from fx_rates where day not in (select day from corrected)
    )
    select day, currency, rate, known_from, known_until, is_correction
    from versions array join mapKeys(rates) as currency, mapValues(rates) as rate`,
  columns: {
    currency: 'ISO 4217 code',
    rate: 'What one euro was said to be worth in this currency',
    known_from:
      'Since when it was known: 16:00 in Frankfurt on its day, when rates are published, and of a correction when we read it',
    known_until: 'Until when: the next correction; the end of 2299 where it is the one that is known now',
    is_correction: '1: it has replaced an older one',
  },
})

export const fxCorrections = defineDataset({
  name: 'fx_corrections',
  about: 'Corrections of euro reference rates by the European Central Bank, a row each',
  fields,
  key: ['day', 'at'],
  identity: ['day', 'at'],
  views: [fxCorrected, receiptsWorth, fxAsKnown],
})
