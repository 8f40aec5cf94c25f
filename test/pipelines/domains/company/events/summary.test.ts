import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { itemsIn, textOf } from '../../../../../pipelines/domains/company/events/document.ts'
import { figuresIn } from '../../../../../pipelines/domains/company/events/figures.ts'
import {
  longestSummary,
  type Report,
  summaryOf,
  summaryOfItems,
} from '../../../../../pipelines/domains/company/events/summary.ts'
import { testRecorded } from '../../../../samples.ts'
import { bundled, judged } from '../../../../sec/marked-events.ts'

const recorded = (name: string) =>
  readFileSync(new URL(`../../../../recorded/sec-answers/8k/${name}`, import.meta.url), 'utf8')
const told = (of: Report, document: string) =>
  summaryOf(of, { text: textOf(document), news: '', figures: [] })
const report = (items: string[], form = '8-K') => ({ name: 'Example Devices Inc.', form, items })

describe('from its items alone, a report', () => {
  it.each([
    [['2.02', '9.01'], 'announced financial results.'],
    [['9.01'], 'filed exhibits or financial statements.'],
    [
      ['5.02', '1.03'],
      'entered bankruptcy or receivership and announced an executive or director change or pay arrangement.',
    ],
    [
      ['8.01', '1.01', '2.03', '9.01'],
      'signed a material agreement, took on a material debt obligation and reported another event it considers important.',
    ],
    [
      ['8.01', '1.01', '2.03', '7.01'],
      'signed a material agreement, took on a material debt obligation, reported another event it considers important and reported 1 other item.',
    ],
    [
      ['6.04', '6.02'],
      'gave an asset-backed securities notice: a failure to make a required distribution and gave an asset-backed securities notice: a change of servicer or trustee.',
    ],
    [['5', '7'], 'reported another event it considers important.'],
    [['4'], 'changed its auditor.'],
  ])('of %j %s', (items, said) => {
    expect(summaryOfItems(report(items))).toBe(`Example Devices Inc. ${said}`)
  })

  it('says so if it amends another report', () => {
    expect(summaryOfItems(report(['4.02'], '8-K/A'))).toBe(
      'Example Devices Inc. amended an earlier report: said earlier financial statements should no longer be relied on.',
    )
  })

  it.each([[[]], [['99.99']]])('has no summary for %j', items => {
    expect(summaryOfItems(report(items))).toBeNull()
  })
})

describe('the text of a report', () => {
  it('has each item from the start of a line, up to the signatures', () => {
    const items = itemsIn(textOf(recorded('appointment.htm')))
    expect([...items.keys()]).toEqual(['5.02', '9.01'])
    expect(items.get('5.02')).toContain('Employment Agreement\nThe foregoing description')
  })

  it('gives both of two items the body below their common heading', () => {
    const items = itemsIn(textOf(recorded('two-items.htm')))
    expect([...items.keys()]).toEqual(['1.01', '2.03', '7.01'])
    expect(items.get('2.03')).toBe(items.get('1.01'))
    expect(items.get('7.01')).not.toContain('Credit Agreement')
  })

  it('has its entities decoded, and its hidden parts left out', () => {
    expect(textOf('<p>A&#160;&amp;&nbsp;B &#x201c;C&#8221; &unknown; <!-- D --></p><script>E</script>')).toBe(
      'A & B “C” &unknown;',
    )
  })
})

describe('from its text, a report', () => {
  it('has the sentence with the most information, without introduction and defined terms', () => {
    expect(told(report(['5.02', '9.01']), recorded('appointment.htm'))).toBe(
      'Example Devices Inc. announced an executive or director change or pay arrangement. The Board of Directors of Example Devices Inc. appointed Jordan Q. Example as Chief Financial Officer, effective May 1, 2025, with an annual base salary of $650,000.',
    )
  })

  it('includes items that its metadata leave out', () => {
    expect(told(report([]), recorded('two-items.htm'))).toBe(
      'Example Devices Inc. signed a material agreement, took on a material debt obligation and published information under Regulation FD. Example Devices Inc. entered into a credit agreement with First Example Bank, N.A. for a revolving facility of $250.5 million, maturing in 2030.',
    )
  })

  it('on results names the quarter, and nothing that is only furnished', () => {
    expect(told(report(['2.02', '9.01']), recorded('results.txt'))).toBe(
      'Example Devices Inc. announced financial results for the second fiscal quarter ended March 29, 2025.',
    )
  })

  it.each([
    '',
    '<html><body></body></html>',
    'not a report at all',
    '<p>see Item 5.02 and</p>',
    '<p>Item 4.01</p>',
  ])('has a summary from its items if nothing else can be read: %j', text => {
    expect(told(report(['4.01']), text)).toBe('Example Devices Inc. changed its auditor.')
  })

  it.each([
    [
      'tells only of itself',
      'The information in this report is here for whoever may want to read it someday.',
    ],
    [
      'is long, and comes to its point late',
      `As part of its plans, ${'with much care, '.repeat(20)}the Company acquired a business for $5 million.`,
    ],
    [
      'was told before',
      'As previously disclosed, the Company appointed a new Chief Executive Officer, who is known.',
    ],
  ])('of a sentence that %s is told by its items', (_what, sentence) => {
    expect(told(report(['8.01']), `<p>Item 8.01</p><p>${sentence}</p>`)).toBe(
      'Example Devices Inc. reported another event it considers important.',
    )
  })

  it('with one endless sentence stays within its length', () => {
    const body = `<p>Item 8.01</p><p>The Company acquired ${'a very large business, '.repeat(500)}for $5 million.</p>`
    const summary = told(report(['8.01']), body) ?? ''
    expect(summary.length).toBeLessThanOrEqual(longestSummary)
    expect(summary).toMatch(/acquired a very large business.*[^,]…$/)
  })
})

describe('of the recorded reports', () => {
  testRecorded.for<[file: string, name: string, items: string[], said: string]>([
    [
      'html/0000887919-21-000012.html',
      'PREMIER FINANCIAL BANCORP INC',
      ['8.01', '9.01'],
      'entered into an Agreement and Plan of Merger dated March 26, 2021 with Peoples Bancorp, Inc.',
    ],
    [
      'html/0001437749-16-028287.html',
      'Sophiris Bio Inc.',
      ['2.02', '9.01'],
      'announced financial results for the three months and year ended December 31, 2015.',
    ],
    [
      'html/adbe-20230315.htm',
      'ADOBE INC.',
      ['2.02', '9.01'],
      'announced financial results for the first quarter fiscal year 2023 ended March 3, 2023.',
    ],
    [
      'html/d435686d8k.htm',
      'BlackRock Inc.',
      ['5.02'],
      'announced an executive or director change or pay arrangement.',
    ],
    [
      'html/nvda-20260302.htm',
      'NVIDIA CORP',
      ['5.02', '9.01'],
      'adopted the Variable Compensation Plan for Fiscal Year 2027',
    ],
    [
      'txt/0000066740-24-000023.txt',
      '3M CO',
      ['8.01'],
      'The distribution of 80.1% of the issued and outstanding shares of common stock',
    ],
    [
      'txt/0001628280-25-058337.txt',
      'Meta Platforms, Inc.',
      ['5.02'],
      'Dina Powell McCormick notified Meta Platforms, Inc. that she will resign as a member of the Board of Directors',
    ],
  ])('%s tells what happened', ([file, name, items, said], { samples }) => {
    const path = join(samples, 'c-sec/8k', file)
    expect(existsSync(path)).toBe(true)
    const body = readFileSync(path, 'utf8')
    const summary = told({ name, form: '8-K', items }, body) ?? ''
    expect(summary).toContain(said)
    expect(summary.startsWith(name)).toBe(true)
    expect(summary.length).toBeLessThanOrEqual(longestSummary)
  })
})

describe('of the reports marked by hand', async () => {
  const all = await judged()

  it('there are at least forty', () => {
    expect(all.length).toBeGreaterThanOrEqual(40)
  })

  it.each(all)('$file states its facts and nothing false', ({ missing, wrong }) => {
    expect({ missing, wrong }).toEqual({ missing: [], wrong: [] })
  })

  testRecorded.for<[file: string, figures: string[]]>([
    ['html/BuckleInc.8-K.EX99.1.html', ['revenue $293.6 million', 'net_income $44.2 million', 'eps $0.88']],
    [
      'txt/0000796343-23-000044.txt',
      [
        'revenue $4.66 billion',
        'net_income $1.25 billion',
        'eps $2.71',
        'guidance $4.75 billion to $4.78 billion',
        'guidance $3.45 billion to $3.47 billion',
        'guidance $1.21 billion to $1.23 billion',
      ],
    ],
    ['txt/0000066740-24-000023.txt', []],
    ['txt/0001628280-25-058337.txt', []],
  ])('%s recorded has the figures of its press release', ([file, figures], { samples }) => {
    const body = readFileSync(join(samples, 'c-sec/8k', file), 'utf8')
    const release = file.endsWith('.txt') ? bundled(body).release : body
    expect(figuresIn(textOf(release ?? '')).map(({ what, value }) => `${what} ${value}`)).toEqual(figures)
  })
})

describe('the figures of a press release', () => {
  const figures = (...lines: string[]) =>
    figuresIn(lines.join('\n')).map(({ what, value }) => `${what} ${value}`)

  it.each<[string, string[]]>([
    [
      'Net sales for the three months ended June 30, 2025, were $231.3 million, up 32%.',
      ['revenue $231.3 million'],
    ],
    [
      'GAAP sales of $2.9 billion and core sales of $3.0 billion increased 7% and 8%.',
      ['revenue $2.9 billion'],
    ],
    ['Core EPS grew by 18% to $0.45, reflecting higher sales across all businesses.', []],
    ['Trailing twelve-month revenue per total member grew approximately 2% to $284.', []],
    ['Gross profit was $97 million, or 26.8% of net revenue.', []],
    ['Net sales increased 5% compared to $388 million in the prior year.', []],
    ['Adjusted net income was $110.7 million, or $1.63 per diluted share.', []],
    ['Subscription revenue was $190.1 million, and cost of revenue was $20 million.', []],
    ['Pro forma revenue was $300 million, had both companies been one.', []],
    ['Net loss of $7.3 million, compared to net loss of $2.9 million.', ['net_loss $7.3 million']],
  ])('%s', (sentence, told) => {
    expect(figures(sentence)).toEqual(told)
  })

  it('carry the sentence that prints them', () => {
    expect(figuresIn('Consolidated revenue grew 21% to $3.4 billion from $2.8 billion.')).toEqual([
      {
        what: 'revenue',
        value: '$3.4 billion',
        sentence: 'Consolidated revenue grew 21% to $3.4 billion from $2.8 billion.',
      },
    ])
  })

  it('end before standard text, and before repetitions in tables', () => {
    expect(figures('About Example', 'Example has revenue of $3 billion a year.')).toEqual([])
    expect(figures('Consolidated Statements of Income', 'Revenue was $3 billion.')).toEqual([])
  })
})
