/** Makes company facts documents of any size as EDGAR writes them: a concept per line of a report, years of filings. */
const concepts = [
  'Assets',
  'Liabilities',
  'StockholdersEquity',
  'Revenues',
  'NetIncomeLoss',
  'OperatingIncomeLoss',
]
const instants = new Set(['Assets', 'Liabilities', 'StockholdersEquity'])

export const cikName = (cik: number): string => `CIK${String(cik).padStart(10, '0')}`

/** Makes `rows` facts, spread over the concepts of a report and as many more as they need. */
export function companyFacts(cik: number, rows: number): Buffer {
  const perConcept = 60
  const parts: string[] = []
  for (let left = rows, n = 0; left > 0; left -= perConcept, n++) {
    const name = concepts[n] ?? `ConceptNumber${n}OfThisReport`
    const isInstant = n < concepts.length ? instants.has(name) : n % 2 === 0
    const facts = Array.from({ length: Math.min(left, perConcept) }, (_, i) => {
      const year = 2011 + (i % 15)
      const quarter = i % 4
      const end = `${year}-${['03-31', '06-30', '09-30', '12-31'][quarter]}`
      const start = isInstant ? '' : `"start":"${year}-${['01-01', '04-01', '07-01', '10-01'][quarter]}",`
      const accession = `${String(cik).padStart(10, '0')}-${String(year % 100).padStart(2, '0')}-${String(100_000 + i)}`
      const value = ((cik * 7919 + n * 104_729 + i * 1_299_709) % 9_000_000_000) + 1000
      return `{${start}"end":"${end}","val":${value},"accn":"${accession}","fy":${year},"fp":"Q${quarter + 1}","form":"${quarter === 3 ? '10-K' : '10-Q'}","filed":"${year}-12-31","frame":"CY${year}Q${quarter + 1}${isInstant ? 'I' : ''}"}`
    })
    parts.push(
      `"${name}":{"label":"Label of ${name}","description":"What ${name} means, said at some length in the words of the standard setter, as it is in each of these documents.","units":{"USD":[${facts.join(',')}]}}`,
    )
  }
  return Buffer.from(
    `{"cik":${cik},"entityName":"Company ${cik}","facts":{"dei":{"EntityPublicFloat":{"label":"Float","description":"","units":{}}},"us-gaap":{${parts.join(',')}}}}`,
  )
}

export function submissions(cik: number, filings: number): Buffer {
  const list = (make: (i: number) => unknown) => Array.from({ length: filings }, (_, i) => make(i))
  const day = (i: number) => `${2025 - (i % 15)}-0${(i % 9) + 1}-1${i % 10}`
  return Buffer.from(
    JSON.stringify({
      cik: String(cik),
      name: `Company ${cik}`,
      entityType: 'operating',
      tickers: [],
      exchanges: [],
      filings: {
        recent: {
          accessionNumber: list(i => `${String(cik).padStart(10, '0')}-20-${String(100_000 + i)}`),
          filingDate: list(day),
          reportDate: list(() => ''),
          acceptanceDateTime: list(i => `${day(i)}T12:00:00.000Z`),
          form: list(i => ['8-K', '10-Q', '4', '10-K'][i % 4]),
          items: list(() => ''),
          primaryDocument: list(() => 'doc.htm'),
          primaryDocDescription: list(() => ''),
          size: list(i => i),
          isXBRL: list(() => 0),
        },
        files: [],
      },
    }),
  )
}
