/** 8-K filings with the facts that a reader wants of them, marked by hand, and what the rules tell of each. */
import { readFileSync } from 'node:fs'
import { eventOf } from '../../pipelines/domains/company/events/event.ts'
import type { EventFigure } from '../../schemas/sec-events.ts'

export interface Mark {
  name: string
  form: string
  items: string[]
  /** Words that the summary must have, each a fact. */
  facts: string[]
  /** Every figure that may be told, and no other. */
  figures: Partial<Record<EventFigure['what'], string>>
  guidance: string[]
  /** Digits and words that would mislead: of another period, of a part, of an earlier report. */
  false?: string[]
}

export interface Judged {
  file: string
  there: number
  missing: string[]
  wrong: string[]
  summary: string | null
}

const folder = new URL('../recorded/sec-answers/events/', import.meta.url)
const documents = /<TYPE>([^\n]+)\n[\s\S]*?<TEXT>\n([\s\S]*?)<\/TEXT>/g

/** The documents of a complete submission, as EDGAR bundles them; a document by itself is the report. */
export function bundled(text: string): { document: string | undefined; release: string | undefined } {
  if (!text.includes('<TYPE>')) return { document: text, release: undefined }
  const all = [...text.matchAll(documents)].map(([, type = '', body = '']) => ({ type: type.trim(), body }))
  return {
    document: all.find(({ type }) => type.startsWith('8-K'))?.body,
    release: all.find(({ type }) => /^EX-99(\.0?1)?$/.test(type))?.body,
  }
}

export const marks = JSON.parse(readFileSync(new URL('marks.json', folder), 'utf8')) as Record<string, Mark>

export const judged = (all: Record<string, Mark> = marks, from: URL = folder): Promise<Judged[]> =>
  Promise.all(
    Object.entries(all).map(([file, mark]) => judge(file, readFileSync(new URL(file, from), 'utf8'), mark)),
  )

export async function judge(file: string, filing: string, mark: Mark): Promise<Judged> {
  const { name, form, items, facts, figures, guidance } = mark
  const report = {
    cik: 1,
    accession: '0000000001-26-000001',
    form,
    filed: '2026-01-01',
    accepted: null,
    items,
  }
  const { signal } = new AbortController()
  const event = await eventOf(report, { name, industry: null }, bundled(filing), {
    summarise: undefined,
    outside: { signal },
  })
  const summary = event.summary ?? ''
  const told = event.figures.map(({ what, value }) => `${what} ${value}`)
  const wanted = [
    ...Object.entries(figures).map(([what, value]) => `${what} ${value}`),
    ...guidance.map(value => `guidance ${value}`),
  ]
  return {
    file,
    there: facts.length + wanted.length,
    missing: [
      ...facts.filter(fact => !summary.includes(fact)),
      ...wanted.filter(figure => !told.includes(figure)),
    ],
    wrong: [
      ...told.filter(figure => !wanted.includes(figure)),
      ...(mark.false ?? []).filter(words => summary.includes(words)),
    ],
    summary: event.summary,
  }
}
