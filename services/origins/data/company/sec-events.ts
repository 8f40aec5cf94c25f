/** What happened at companies on these days? Their 8-K reports, newest first. */
import { z } from 'zod'
import { NotReady } from '../../../../pipelines/rails/failures.ts'
import { secWww } from '../../../../pipelines/sources/sec/upstream.ts'
import { eventsByDay, type SecEvent } from '../../../../schemas/sec-events.ts'
import { filingUrl } from '../../../../schemas/sec-filings.ts'
import { defineOperation, type Tools } from '../../../offer/operation.ts'
import { feedIsRead } from './companies.ts'
import { figuresShape } from './event-shapes.ts'
import { eventsExample } from './filing-examples.ts'
import { dayAsked, spanOf, spanRefusals } from './span.ts'

const text = z.string().nullable()

export const secEvents = defineOperation({
  id: 'secEvents',
  path: '/sec/events',
  price: '0.004',
  inBrief: '8-K reports of all US-listed companies over up to 31 days, by item and industry, summarised.',
  costs: 'looked up',
  sold: 'Sold if the texts of at least half of those listed are read; another is told by its items, with a note.',
  title: 'Material events across companies',
  about:
    'The 8-K reports of all US-listed companies over up to 31 days, newest first, by item (5.02 executives, 2.02 results, 1.01 agreements ...) and industry, each with a plain-English summary and the revenue, income, EPS and guidance that its press release prints. No event is free.',
  tags: ['SEC', '8-K', 'events', 'news', 'earnings'],
  request: z.strictObject({
    item: z
      .string()
      .trim()
      .regex(/^\d\.\d{2}$/, 'an item of Form 8-K, such as 5.02')
      .nullish()
      .describe('Only reports with this item, e.g. 5.02'),
    industry: z.string().trim().min(2).max(80).nullish().describe('Words of the industry, e.g. software'),
    from: dayAsked.describe('First day, YYYY-MM-DD; a week before `to` by default'),
    to: dayAsked.describe('Last day; today by default'),
    limit: z.int().min(1).max(100).default(20).describe('How many events'),
  }),
  response: z.strictObject({
    from: z.string(),
    to: z.string(),
    count: z.int().describe('How many match; `events` has the newest of them'),
    events: z.array(
      z.strictObject({
        cik: z.int(),
        name: z.string(),
        industry: text,
        form: z.string(),
        filed: z.string(),
        items: z.array(z.string()),
        summary: text,
        figures: figuresShape.optional(),
        note: z.string().optional().describe('Why the summary says less than the report'),
        accession: z.string(),
        url: z.string(),
      }),
    ),
    source: z.string(),
  }),
  refusals: { ...spanRefusals, no_match: { status: 422, about: 'No such event in these days' } },
  example: eventsExample,
  async answer({ item, industry, limit, ...asked }, tools, refuse) {
    const { from, to, days } = spanOf(asked, { now: tools.now(), defaultDays: 7, mostDays: 31 }, refuse)
    feedIsRead(eventsByDay, tools)
    const words = industry?.toLowerCase().split(/\s+/) ?? []
    const found = (await eventsOn(days, tools)).filter(
      event =>
        (!item || event.items.includes(item)) &&
        words.every(word => event.industry?.toLowerCase().includes(word)),
    )
    if (!found.length) return refuse('no_match', `No such event is known from ${from} to ${to}`)
    const newest = found.slice(0, limit)
    const unread = newest.filter(isUnread).length
    if (2 * unread > newest.length)
      throw new NotReady(
        tools.isSample(secWww)
          ? `The bundled samples lack ${unread} of the ${newest.length} reports`
          : `${unread} of the ${newest.length} newest reports are not read yet; ask again in some minutes, or for earlier days`,
      )
    return {
      from,
      to,
      count: found.length,
      events: newest.map(answerOf),
      source: tools.credit(secWww),
    }
  },
})

async function eventsOn(days: readonly string[], tools: Tools): Promise<SecEvent[]> {
  const found = await Promise.all(days.map(day => tools.lookAll(eventsByDay, day)))
  return found.reverse().flat()
}

const isUnread = ({ told_by }: SecEvent): boolean => told_by === 'items'

const notYetRead = 'The text of this report is not read yet: the summary is made from its items alone.'

const answerOf = (event: SecEvent) => ({
  cik: event.cik,
  name: event.name,
  industry: event.industry,
  form: event.form,
  filed: event.filed,
  items: event.items,
  summary: event.summary,
  ...(event.figures.length ? { figures: event.figures } : {}),
  ...(isUnread(event) ? { note: notYetRead } : {}),
  accession: event.accession,
  url: filingUrl({ ...event, primary_document: '' }),
})
