/**
 * Invented filers whose printed line stands under the name of another one: net income as that of common stock, sales with
 * their taxes as the total, interest under IFRS 9. All figures are millions of dollars.
 */
type Years = Record<number, Record<string, number>>

interface Filer {
  cik: number
  name: string
  ticker: string
  industry: readonly [sic: string, name: string]
  form: '10-K' | '20-F'
  taxonomy: 'us-gaap' | 'ifrs-full'
  years: Years
}

const minority = 'NetIncomeLossAttributableToNoncontrollingInterest'
const common = 'NetIncomeLossAvailableToCommonStockholdersBasic'
const interest = 'InterestRevenueCalculatedUsingEffectiveInterestMethod'
const fees = 'FeeAndCommissionIncome'

export const filers: readonly Filer[] = [
  {
    cik: 4_000_000_002,
    name: 'Example Insurance Group Inc.',
    ticker: 'EXIN',
    industry: ['6324', 'Hospital & Medical Service Plans'],
    form: '10-K',
    taxonomy: 'us-gaap',
    years: {
      2025: { Revenues: 24_600, ProfitLoss: 1_270, [minority]: 45, [common]: 1_225, Assets: 61_000 },
      2024: { Revenues: 23_100, ProfitLoss: 1_180, [minority]: 38, [common]: 1_142, Assets: 58_400 },
    },
  },
  {
    cik: 4_000_000_003,
    name: 'Example Oil Holding plc',
    ticker: 'EXOI',
    industry: ['1311', 'Crude Petroleum & Natural Gas'],
    form: '20-F',
    taxonomy: 'us-gaap',
    years: {
      2025: {
        ...{ SalesRevenueNet: 14_900, RegulatedOperatingRevenue: 11_800, CostsAndExpenses: 9_100 },
        ...{ OperatingIncomeLoss: 2_700, NetIncomeLoss: 1_650, Assets: 39_000 },
      },
      2024: {
        ...{ SalesRevenueNet: 15_600, RegulatedOperatingRevenue: 12_300, CostsAndExpenses: 9_400 },
        ...{ OperatingIncomeLoss: 2_900, NetIncomeLoss: 1_810, Assets: 37_500 },
      },
    },
  },
  {
    cik: 4_000_000_004,
    name: 'Example Bank N.V.',
    ticker: 'EXBK',
    industry: ['6029', 'Commercial Banks, NEC'],
    form: '20-F',
    taxonomy: 'ifrs-full',
    years: {
      2025: { [interest]: 5_200, [fees]: 910, ProfitLoss: 1_340, Assets: 96_000 },
      2024: { [interest]: 4_700, [fees]: 880, ProfitLoss: 1_210, Assets: 92_500 },
    },
  },
]

const filedIn = (year: number) => `${year + 1}-02-20`
const accession = ({ cik }: Filer, year: number) => `${cik}-${String(year + 1).slice(2)}-000001`

export function factsOfFiler(filer: Filer): string {
  const concepts: Record<string, { label: string; description: null; units: { USD: object[] } }> = {}
  for (const [written, lines] of Object.entries(filer.years))
    for (const [concept, millions] of Object.entries(lines)) {
      const year = Number(written)
      concepts[concept] ??= { label: concept, description: null, units: { USD: [] } }
      concepts[concept].units.USD.push({
        ...(concept === 'Assets' ? {} : { start: `${year}-01-01` }),
        end: `${year}-12-31`,
        val: millions * 1e6,
        accn: accession(filer, year),
        fy: year,
        fp: 'FY',
        form: filer.form,
        filed: filedIn(year),
      })
    }
  return JSON.stringify({
    cik: filer.cik,
    entityName: filer.name,
    facts: { [filer.taxonomy]: concepts },
  })
}

export function submissionsOfFiler(filer: Filer): string {
  const years = Object.keys(filer.years)
    .map(Number)
    .sort((a, b) => b - a)
  return JSON.stringify({
    cik: String(filer.cik),
    entityType: 'operating',
    sic: filer.industry[0],
    sicDescription: filer.industry[1],
    name: filer.name,
    tickers: [filer.ticker],
    exchanges: ['NYSE'],
    category: 'Large accelerated filer',
    fiscalYearEnd: '1231',
    stateOfIncorporation: '',
    stateOfIncorporationDescription: '',
    addresses: null,
    formerNames: [],
    filings: {
      recent: {
        accessionNumber: years.map(year => accession(filer, year)),
        filingDate: years.map(filedIn),
        reportDate: years.map(year => `${year}-12-31`),
        acceptanceDateTime: years.map(year => `${filedIn(year)}T12:00:00.000Z`),
        form: years.map(() => filer.form),
        items: years.map(() => ''),
        primaryDocument: years.map(() => 'report.htm'),
        primaryDocDescription: years.map(() => filer.form),
        size: years.map(() => 9000),
        isXBRL: years.map(() => 1),
      },
      files: [],
    },
  })
}

/** The list of tickers, with those of the invented filers. */
export function withTickers(list: string): string {
  const told = JSON.parse(list) as { data: unknown[][] }
  told.data.push(...filers.map(({ cik, name, ticker }) => [cik, name, ticker, 'NYSE']))
  return JSON.stringify(told)
}
