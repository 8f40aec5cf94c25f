/** What do the insiders of a company trade, or a person of companies? */
import { z } from 'zod'
import { insiderFormsLookup } from '../../../../pipelines/lookups/company.ts'
import { NotReady } from '../../../../pipelines/rails/failures.ts'
import { secWww } from '../../../../pipelines/sources/sec/upstream.ts'
import { exact } from '../../../../schemas/values/values.ts'
import { defineOperation } from '../../../offer/operation.ts'
import { companyAsked, companyOf, companyRefusals } from './companies.ts'
import { arriving } from './events.ts'
import { insidersExample } from './filing-examples.ts'
import { documentOf } from './filings.ts'
import { formsOf, lineAnswer, linesOf } from './insiders.ts'
import { dayAsked, spanOf, spanRefusals } from './span.ts'

const text = z.string().nullable()
const number = exact().nullable()
/** One question reads at most this many forms. */
const mostForms = 60
/** If more than one form in so many is missing, the answer is not worth its price. */
const oneIn = 10

export const secInsiders = defineOperation({
  id: 'secInsiders',
  path: '/sec/insiders',
  price: '0.004',
  inBrief: 'Insider trades: Forms 3, 4 and 5 of a US company or a person, over up to a year.',
  costs: 'looked up',
  ofModels: { limit: 20 },
  sold: 'Sold if at least nine in ten of the forms were read.',
  title: 'Insider holdings and transactions',
  about:
    'Forms 3, 4 and 5 of a company’s insiders, or of a person (by cik), over up to a year, from their XML: who, role, what, code, shares, price, value, holdings afterwards, and whether under a Rule 10b5-1 plan. Newest first.',
  tags: ['SEC', 'insider trading', 'Form 4', 'ownership'],
  request: z.strictObject({
    ...companyAsked,
    from: dayAsked.describe('First day of filing, YYYY-MM-DD; 90 days before `to` by default'),
    to: dayAsked.describe('Last day; today by default'),
    limit: z.int().min(1).max(200).default(50).describe('How many lines'),
  }),
  response: z.strictObject({
    cik: z.int(),
    name: z.string(),
    from: z.string(),
    to: z.string(),
    forms: z.int().describe('Forms 3, 4 and 5 that were filed in these days'),
    count: z.int().describe('Lines of those that were read; `lines` has the newest of them'),
    lines: z.array(
      z.strictObject({
        issuer: z.strictObject({ cik: z.int(), name: z.string(), ticker: text }),
        owner: z.strictObject({
          cik: z.int(),
          name: z.string(),
          joint_owners: z.array(z.string()).optional(),
        }),
        roles: z.array(z.enum(['director', 'officer', 'ten_percent_owner'])),
        title: text.describe('Of an officer'),
        form: z.string(),
        filed: z.string(),
        kind: z.enum(['transaction', 'holding']),
        date: text,
        code: text.describe('Transaction code, e.g. P, S, A, F, M, G'),
        code_meaning: text,
        security: z.string(),
        derivative: z.boolean(),
        direction: z.enum(['acquired', 'disposed']).nullable(),
        shares: number,
        price: number,
        value: number.describe('shares times price'),
        shares_after: number,
        ownership: z.enum(['direct', 'indirect']),
        nature: text.describe('Of indirect ownership'),
        exercise_price: number.optional(),
        expires: text.optional(),
        underlying: text.optional(),
        underlying_shares: number.optional(),
        plan_10b5_1: z.boolean().nullable().describe('null: the form does not say'),
        accession: z.string(),
        url: z.string(),
      }),
    ),
    note: z.string().optional().describe('Where not every form could be read'),
    source: z.string(),
  }),
  refusals: {
    ...companyRefusals,
    ...spanRefusals,
    no_match: { status: 422, about: 'No Form 3, 4 or 5 was filed in these days' },
  },
  example: insidersExample,
  async answer({ from: first, to: last, limit, ...asked }, tools, refuse) {
    const span = { from: first, to: last }
    const { from, to } = spanOf(span, { now: tools.now(), defaultDays: 90, mostDays: 366 }, refuse)
    const { cik, name, industry } = await companyOf(asked, tools, refuse)
    const forms = await formsOf(cik, { from, to }, tools)
    if (!forms.length) return refuse('no_match', `${name} has no Form 3, 4 or 5 from ${from} to ${to}`)
    const known = new Set((await linesOf(cik, tools)).map(({ accession }) => accession))
    const unread = forms.filter(({ accession }) => !known.has(accession)).slice(0, mostForms)
    if (unread.length) {
      const documents = { name, industry, filings: unread.map(documentOf) }
      await arriving(tools.find(insiderFormsLookup, { cik, documents }))
    }
    const asFiled = new Map(forms.map(form => [form.accession, form]))
    const all = (await linesOf(cik, tools)).filter(({ accession }) => asFiled.has(accession))
    const missing = forms.length - new Set(all.map(({ accession }) => accession)).size
    if (missing * oneIn > forms.length)
      throw new NotReady(
        tools.isSample(secWww)
          ? `The bundled samples lack ${missing} of the ${forms.length} forms from ${from} to ${to}`
          : `Only ${forms.length - missing} of ${forms.length} forms could be read in time; the others are being read, so ask again`,
      )
    const lines = all.filter(({ kind }) => kind !== 'none')
    return {
      cik,
      name,
      from,
      to,
      forms: forms.length,
      count: lines.length,
      lines: lines.slice(0, limit).map(line => lineAnswer(line, asFiled.get(line.accession))),
      ...(missing ? { note: `${missing} of ${forms.length} forms could not be read in time.` } : {}),
      source: tools.credit(secWww),
    }
  },
})
