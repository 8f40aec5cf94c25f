import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { insidersIn } from '../../../../../pipelines/domains/company/insiders/ownership.ts'
import { secInsiders } from '../../../../../schemas/sec-insiders.ts'

const xml = readFileSync(new URL('../../../../recorded/sec/form4.xml', import.meta.url), 'utf8')
const form = {
  cik: 9990001,
  accession: '0009990001-26-000009',
  form: '4',
  filed: '2026-08-14',
  accepted: '2026-08-14T21:14:02.000Z',
}
const read = (text: string) => insidersIn(text, form, 'form4.xml')

describe('a Form 4', async () => {
  const lines = await read(xml)

  it('has a row for each line of its tables', () => {
    expect(lines.map(({ line, kind, derivative }) => [line, kind, derivative])).toEqual([
      [0, 'transaction', false],
      [1, 'holding', false],
      [2, 'transaction', true],
    ])
    for (const line of lines) secInsiders.event.parse(line)
  })

  it('names person, security, number, price, and the holding afterwards', () => {
    expect(lines[0]).toEqual({
      ...form,
      line: 0,
      issuer: 'KESTREL AIRFRAMES INC',
      ticker: 'KSTL',
      owner_cik: 9990077,
      owner: 'Owner Reporting',
      joint_owners: ['Owner Family Trust'],
      is_director: true,
      is_officer: true,
      is_ten_percent_owner: false,
      title: 'Chief Executive Officer',
      kind: 'transaction',
      derivative: false,
      security: 'Common Stock',
      date: '2026-08-12',
      code: 'S',
      acquired: false,
      shares: '1500.5',
      price: '42.10',
      value: '63171.05',
      shares_after: '98499.5',
      direct: false,
      nature: 'By Trust',
      exercise_price: null,
      expires: null,
      underlying: null,
      underlying_shares: null,
      plan_10b5_1: true,
    })
  })

  it('has no price if a footnote replaces it, and so no value', () => {
    expect(lines[2]).toMatchObject({
      price: null,
      value: null,
      exercise_price: '12.25',
      expires: '2030-02-01',
      underlying: 'Common Stock',
      underlying_shares: '1500.5',
    })
  })

  it('leaves the plan open if it does not mention one', async () => {
    const silent = await read(xml.replace('<aff10b5One>1</aff10b5One>', ''))
    expect(silent[0]?.plan_10b5_1).toBeNull()
    expect((await read(xml.replace('One>1<', 'One>false<')))[0]?.plan_10b5_1).toBe(false)
  })

  it('without holdings has one row that says so', async () => {
    const empty = xml.replace(
      /<nonDerivativeTable>.*<\/derivativeTable>/s,
      '<noSecuritiesOwned>1</noSecuritiesOwned>',
    )
    expect((await read(empty)).map(({ line, kind }) => [line, kind])).toEqual([[0, 'none']])
  })

  it.each([
    ['is no XML', '<html'],
    ['names no issuer', xml.replace('<issuerCik>0009990001</issuerCik>', '')],
    ['names no owner', xml.replace(/<reportingOwner>.*<\/reportingOwner>/s, '')],
  ])('fails as an upstream if it %s', async (_what, text) => {
    await expect(read(text)).rejects.toThrow('form4.xml')
  })
})
