/** What people see of answers about rates, airports, weather, companies and sellers. */
import {
  type AnswerFields,
  type Drawing,
  type Drawings,
  fieldsOf,
  inOrder,
  type Mark,
  numberOf,
  rowsOf,
  textOf,
  textsOf,
  words,
} from '../../offer/drawing.ts'

const rates = (answer: AnswerFields): Drawing[] => [
  {
    kind: 'line',
    title: `One ${textOf(answer.from)} in ${textOf(answer.to)}`,
    when: 'day',
    what: 'rate',
    unit: textOf(answer.to),
    marks: inOrder(rowsOf(answer.rates).map(row => ({ at: textOf(row.date), value: numberOf(row.rate) }))),
  },
]

/** Programs that have hours, and delays that have minutes. */
function airport(answer: AnswerFields): Drawing[] {
  const groups = [answer, ...rowsOf(answer.airports_with_events)]
  const events = groups.flatMap(group => rowsOf(group.events))
  const nameOf = (event: AnswerFields) => `${textOf(event.airport)}: ${words(textOf(event.type))}`
  const updated = textOf(answer.feed_updated)
  return [
    {
      kind: 'spans',
      title: 'Programs and closures by hour',
      who: 'program',
      what: 'why',
      spans: events.map(event => ({
        name: nameOf(event),
        from: textOf(event.start) || updated,
        to: textOf(event.end),
        words: textOf(event.reason),
        tone: event.active === false ? 'good' : event.affects_airline_flights ? 'bad' : 'warn',
      })),
    },
    {
      kind: 'ranked',
      title: 'Delays now',
      when: 'program',
      what: 'average delay',
      unit: 'min',
      more: ['least', 'most', 'trend', 'why'],
      marks: events.map(event => ({
        at: nameOf(event),
        value: numberOf(event.average_delay_minutes ?? event.max_delay_minutes),
        more: [
          textOf(event.min_delay_minutes),
          textOf(event.max_delay_minutes),
          textOf(event.trend),
          textOf(event.reason),
        ],
      })),
    },
  ]
}

function weather(answer: AnswerFields): Drawing[] {
  const forecast = rowsOf(answer.forecast)
  const place = fieldsOf(answer.location)
  const where = [textOf(place.city), textOf(place.state)].filter(Boolean).join(', ')
  const hourOf = (moment: unknown) => textOf(moment).slice(0, 16).replace('T', ' ')
  return [
    {
      kind: forecast.length > 1 ? 'line' : 'bars',
      title: `Temperature${where && ` at ${where}`}`,
      when: 'from',
      what: 'temperature',
      unit: `°${textOf(forecast[0]?.temperature_unit)}`,
      more: ['rain, %', 'wind', 'sky'],
      marks: forecast.map(row => ({
        at: hourOf(row.start),
        value: numberOf(row.temperature),
        more: [
          textOf(row.precipitation_chance),
          `${textOf(row.wind_direction)} ${textOf(row.wind)}`,
          textOf(row.summary),
        ],
      })),
    },
    {
      kind: 'spans',
      title: 'Alerts',
      who: 'alert',
      what: 'what it says',
      spans: rowsOf(answer.alerts).map(row => ({
        name: `${textOf(row.event)} (${textOf(row.severity)})`,
        from: textOf(answer.forecast_updated),
        to: textOf(row.ends) || textOf(row.expires),
        words: textOf(row.headline),
        tone: /severe|extreme/i.test(textOf(row.severity)) ? 'bad' : 'warn',
      })),
    },
  ]
}

const filedAs = ['form', 'filed', 'accession']
const period = (row: AnswerFields): Mark => ({
  at: textOf(row.period_end),
  value: numberOf(row.value),
  more: filedAs.map(name => textOf(row[name])),
})

/** The years with the twelve months until now, and the quarters, each with the filing that says it. */
function financials(answer: AnswerFields): Drawing[] {
  const metrics = fieldsOf(answer.metrics)
  return ['revenue', 'net_income'].flatMap(name => {
    const metric = fieldsOf(metrics[name])
    const [what, unit] = [words(name), textOf(metric.unit)]
    const shown = { kind: 'bars' as const, when: 'until', what, unit, more: filedAs }
    const ttm = period(fieldsOf(metric.ttm))
    return [
      {
        ...shown,
        title: `${textOf(answer.name)}: ${what} by year`,
        ...(Number.isFinite(ttm.value) && { note: 'The last one: the twelve months until now.' }),
        marks: [
          ...inOrder(rowsOf(metric.annual).map(period)),
          ...(Number.isFinite(ttm.value) ? [{ ...ttm, at: `TTM ${ttm.at.slice(0, 7)}`, isOther: true }] : []),
        ],
      },
      {
        ...shown,
        title: `${textOf(answer.name)}: ${what} by quarter`,
        marks: inOrder(rowsOf(metric.quarters).map(period)),
      },
    ]
  })
}

/** What was sold lies below the line. */
const insiders = (answer: AnswerFields): Drawing[] => [
  {
    kind: 'bars',
    title: `Insiders of ${textOf(answer.name)}: shares acquired, and disposed of below the line`,
    when: 'day',
    what: 'shares',
    more: ['who', 'what', 'price, USD', 'filing'],
    marks: inOrder(
      rowsOf(answer.lines)
        .filter(({ kind }) => kind === 'transaction')
        .map(line => ({
          at: textOf(line.date) || textOf(line.filed),
          value: numberOf(line.shares) * (line.direction === 'disposed' ? -1 : 1),
          more: [
            textOf(fieldsOf(line.owner).name),
            textOf(line.code_meaning),
            textOf(line.price),
            textOf(line.accession),
          ],
        })),
    ),
  },
]

function history(answer: AnswerFields): Drawing[] {
  const weeks = rowsOf(answer.weeks)
  const over = (name: string, what: string, unit?: string): Drawing => ({
    kind: weeks.length > 1 ? 'line' : 'bars',
    title: `${textOf(answer.host)}: ${what} in 30 days, week by week`,
    when: 'week',
    what,
    ...(unit && { unit }),
    more: ['rank', 'labels'],
    marks: inOrder(
      weeks.map(week => ({
        at: textOf(week.week),
        value: numberOf(week[name]),
        more: [textOf(week.rank), textsOf(week.patterns).map(words).join(', ')],
      })),
    ),
  })
  return [
    over('calls_30d', 'calls'),
    over('paying_wallets_max', 'paying wallets'),
    over('est_revenue_30d_usd', 'revenue', 'USD'),
  ]
}

const seller = (answer: AnswerFields): Drawing[] => [
  {
    kind: 'ranked',
    title: `The endpoints of ${textOf(answer.host)} by calls in 30 days`,
    when: 'endpoint',
    what: 'calls',
    more: ['wallets', 'price, USD'],
    marks: rowsOf(answer.endpoints).map(row => ({
      at: textOf(row.url),
      value: numberOf(row.calls_30d),
      more: [textOf(row.paying_wallets), textOf(row.price_usd)],
    })),
  },
]

const dataset = (answer: AnswerFields): Drawing[] => [
  {
    kind: 'ranked',
    title: `Sellers of ${textOf(answer.week)} by estimated revenue`,
    when: 'seller',
    what: 'revenue',
    unit: 'USD',
    more: ['calls', 'wallets', 'labels'],
    marks: rowsOf(answer.sellers).map(row => ({
      at: textOf(row.host),
      value: numberOf(row.est_revenue_usd),
      more: [textOf(row.calls), textOf(row.paying_wallets_max), textsOf(row.patterns).map(words).join(', ')],
    })),
  },
]

export const dataDrawings: Drawings = {
  at: import.meta.url,
  of: {
    exchangeRateHistory: rates,
    airportDelays: airport,
    weatherForecast: weather,
    secFinancials: financials,
    secInsiders: insiders,
    x402SellerHistory: history,
    x402SellerLookup: seller,
    x402MarketDataset: dataset,
  },
}
