/** Questions about events and insiders, and the answers that the sandbox gave. */
export const eventsExample = {
  request: {
    item: '2.02',
    limit: 5,
  },
  response: {
    from: '2026-11-14',
    to: '2026-11-20',
    count: 1,
    events: [
      {
        cik: 4000000001,
        name: 'Example Devices Inc.',
        industry: 'Electronic Computers',
        form: '8-K',
        filed: '2026-11-20',
        items: ['2.02', '9.01'],
        summary:
          'Example Devices Inc. announced financial results for the quarter ended September 30, 2026. It reported revenue of $212.4 million, net income of $18.6 million and earnings per share of $0.41.',
        figures: [
          {
            what: 'revenue',
            value: '$212.4 million',
            sentence: 'Revenue was $212.4 million, an increase of 14% year-over-year.',
          },
          {
            what: 'net_income',
            value: '$18.6 million',
            sentence: 'Net income was $18.6 million, or $0.41 per diluted share.',
          },
          {
            what: 'eps',
            value: '$0.41',
            sentence: 'Net income was $18.6 million, or $0.41 per diluted share.',
          },
          {
            what: 'guidance',
            value: '$218 million to $222 million',
            sentence: 'For the fourth quarter the company expects revenue of $218 million to $222 million.',
          },
        ],
        accession: '4000000001-26-000002',
        url: 'https://www.sec.gov/Archives/edgar/data/4000000001/400000000126000002/4000000001-26-000002-index.htm',
      },
    ],
    source: 'SEC EDGAR (sec.gov) (bundled sample, not live)',
  },
} as const

/** Every line of one form has these fields. */
const form = {
  issuer: {
    cik: 320193,
    name: 'Apple Inc.',
    ticker: 'AAPL',
  },
  owner: {
    cik: 4000000002,
    name: 'Sample Alex',
    joint_owners: ['Sample Family Trust'],
  },
  roles: ['director', 'officer'],
  title: 'Chief Executive Officer',
  form: '4',
  filed: '2026-11-20',
  plan_10b5_1: true,
  accession: '4000000001-26-000003',
  url: 'https://www.sec.gov/Archives/edgar/data/320193/400000000126000003/xslF345X05/form4.xml',
} as const

export const insidersExample = {
  request: { ticker: 'AAPL' },
  response: {
    cik: 320193,
    name: 'Apple Inc.',
    from: '2026-08-23',
    to: '2026-11-20',
    forms: 1,
    count: 3,
    lines: [
      {
        ...form,
        kind: 'transaction',
        date: '2026-11-20',
        code: 'S',
        code_meaning: 'sold on the market or privately',
        security: 'Common Stock',
        derivative: false,
        direction: 'disposed',
        shares: 1500.5,
        price: 42.1,
        value: 63171.05,
        shares_after: 98499.5,
        ownership: 'indirect',
        nature: 'By Trust',
      },
      {
        ...form,
        kind: 'holding',
        date: null,
        code: null,
        code_meaning: null,
        security: 'Common Stock',
        derivative: false,
        direction: null,
        shares: null,
        price: null,
        value: null,
        shares_after: 1200,
        ownership: 'direct',
        nature: null,
      },
      {
        ...form,
        kind: 'transaction',
        date: '2026-11-20',
        code: 'M',
        code_meaning: 'exercised or converted a derivative',
        security: 'Stock Option (Right to Buy)',
        derivative: true,
        direction: 'disposed',
        shares: 1500.5,
        price: null,
        value: null,
        shares_after: 0,
        ownership: 'direct',
        nature: null,
        exercise_price: 12.25,
        expires: '2030-02-01',
        underlying: 'Common Stock',
        underlying_shares: 1500.5,
      },
    ],
    source: 'SEC EDGAR (sec.gov) (bundled sample, not live)',
  },
} as const
