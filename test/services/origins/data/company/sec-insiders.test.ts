import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { insidersIn } from '../../../../../pipelines/domains/company/insiders/ownership.ts'
import { NotReady, UpstreamFailed } from '../../../../../pipelines/rails/failures.ts'
import { secCompanies } from '../../../../../schemas/sec-companies.ts'
import { type SecFiling, secFilings } from '../../../../../schemas/sec-filings.ts'
import { secInsiders as dataset, type SecInsider } from '../../../../../schemas/sec-insiders.ts'
import { secInsiders } from '../../../../../services/origins/data/company/sec-insiders.ts'
import { ask } from '../../ask.ts'
import { Loaded } from '../../loaded.ts'
import { refusal } from '../../refusal.ts'
import { asking, cik, company, filing, loadedCompany } from './a-company.ts'

const xml = readFileSync(new URL('../../../../recorded/sec/form4.xml', import.meta.url), 'utf8').replace(
  '0009990001',
  String(cik),
)
const read = (form: SecFiling): Promise<SecInsider[]> => insidersIn(xml, form, 'form4.xml')
const forms = [
  filing('4', '2025-06-10'),
  filing('4/A', '2025-05-20'),
  filing('3', '2025-01-10'),
  filing('10-K', '2025-02-20'),
]

describe('insiders', () => {
  it('come from the forms of the span, read on request, newest first', async () => {
    const asked = asking(loadedCompany(forms), {
      documents: async (loaded, { filings }) => {
        expect(filings.map(({ form }) => form)).toEqual(['4', '4/A'])
        for (const form of forms.filter(({ form }) => form.startsWith('4')))
          loaded.put(dataset, await read(form))
      },
    })
    const answer = await ask(secInsiders, { ticker: 'EXD', limit: 4 }, asked)
    expect(answer).toMatchObject({ cik, from: '2025-04-02', to: '2025-06-30', forms: 2, count: 6 })
    expect(answer.lines.map(({ form, filed, code }) => [form, filed, code])).toEqual([
      ['4', '2025-06-10', 'S'],
      ['4', '2025-06-10', null],
      ['4', '2025-06-10', 'M'],
      ['4/A', '2025-05-20', 'S'],
    ])
    expect(answer.lines[0]).toEqual({
      issuer: { cik, name: 'KESTREL AIRFRAMES INC', ticker: 'KSTL' },
      owner: { cik: 9990077, name: 'Owner Reporting', joint_owners: ['Owner Family Trust'] },
      roles: ['director', 'officer'],
      title: 'Chief Executive Officer',
      form: '4',
      filed: '2025-06-10',
      kind: 'transaction',
      date: '2026-08-12',
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
      plan_10b5_1: true,
      accession: forms[0]?.accession,
      url: expect.stringContaining('/document.htm'),
    })
    expect(answer.note).toBeUndefined()
    await ask(secInsiders, { cik }, asked)
    expect(asked.fetched).toEqual(['insider_forms'])
  })

  const late = (isRead: (form: SecFiling, n: number) => boolean, all: SecFiling[]) =>
    asking(loadedCompany(all), {
      documents: async loaded => {
        for (const form of all.filter(isRead)) loaded.put(dataset, await read(form))
        throw new UpstreamFailed('insider_forms took longer than 12000 ms')
      },
    })

  it('say so if one form in ten could not be read', async () => {
    const ten = Array.from({ length: 10 }, (_, n) => filing('4', `2025-06-${10 + n}`))
    const answer = await ask(
      secInsiders,
      { cik },
      late((_, n) => n > 0, ten),
    )
    expect(answer).toMatchObject({ forms: 10, count: 27, note: '1 of 10 forms could not be read in time.' })
  })

  it.each([0, 1])('are not sold with %i of 2 forms', async most => {
    const asked = late((_, n) => n < most, forms.slice(0, 2))
    await expect(ask(secInsiders, { cik }, asked)).rejects.toThrow(
      new NotReady(`Only ${most} of 2 forms could be read in time; the others are being read, so ask again`),
    )
    // The sandbox does not get them, however often it is asked.
    await expect(ask(secInsiders, { cik }, { ...asked, sampled: true })).rejects.toThrow(
      `The bundled samples lack ${2 - most} of the 2 forms`,
    )
  })

  it('are found by the cik of a person', async () => {
    const person = 9990077
    const own = { ...(forms[0] as SecFiling), cik: person }
    const loaded = new Loaded()
      .put(secCompanies, [company({ cik: person, name: 'Owner Reporting' })])
      .put(secFilings, [own])
      .put(dataset, await read(own))
    const answer = await ask(secInsiders, { cik: person }, asking(loaded))
    expect(answer).toMatchObject({ cik: person, name: 'Owner Reporting', count: 3 })
    expect(answer.lines[0]?.issuer.cik).toBe(cik)
  })
})

describe('is refused, free:', () => {
  it.each([
    [{}, 400, 'missing_company'],
    [{ ticker: 'EXD', cik: 1 }, 400, 'conflicting_company'],
    [{ ticker: 'ZZZZ' }, 422, 'unknown_ticker'],
    [{ cik: 1 }, 422, 'unknown_company'],
    [{ cik, from: '2025-06-02', to: '2025-06-01' }, 400, 'invalid_span'],
    [{ cik, from: '2025-07-01', to: '2025-07-02' }, 400, 'invalid_span'],
    [{ cik, from: '2023-01-01', to: '2025-01-01' }, 400, 'invalid_span'],
    [{ cik, from: '2025-03-01', to: '2025-03-31' }, 422, 'no_match'],
  ])('%j: %i %s', async (body, status, error) => {
    expect(await refusal(secInsiders, body, asking(loadedCompany(forms)))).toMatchObject({
      status,
      error,
      charged: false,
    })
  })
})
