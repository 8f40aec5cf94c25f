/** Reads EDGAR's feed of the newest filings: one entry per filing and party, newest first. */

import { readXml } from '../../rails/formats/xml.ts'
import type { Outside } from '../../rails/outside/upstreams/outside.ts'
import { askEdgar } from './edgar.ts'
import { secWww } from './upstream.ts'

export interface FeedEntry {
  form: string
  cik: number
  role: string
  accession: string
  filed: string
  /** The time when EDGAR accepted it, in ms. */
  at: number
}

const pageSize = 100
/** The limit of one poll. A minute never brings more filings than these pages hold. */
export const mostPages = 20
/** The feed answers with this status after its last page. */
const noSuchPage = 503

export async function* feedPages(outside: Outside): AsyncGenerator<FeedEntry[]> {
  for (let page = 0; page < mostPages; page++) {
    const path = `/cgi-bin/browse-edgar?action=getcurrent&type=&count=${pageSize}&start=${page * pageSize}&owner=include&output=atom`
    const answer = await askEdgar(outside, secWww, path, page > 0 ? { missing: noSuchPage } : {})
    if (!answer) return
    const { children } = await readXml(answer.text(), answer.from)
    const entries = children
      .filter(({ name }) => name === 'entry')
      .flatMap(entry => {
        const text = (name: string) => entry.children.find(child => child.name === name)?.text.trim() ?? ''
        return entryOf(text('title'), text('summary'), text('updated'))
      })
    yield entries
    if (entries.length < pageSize) return
  }
}

export function entryOf(title: string, summary: string, updated: string): FeedEntry[] {
  const form = title.slice(0, Math.max(0, title.indexOf(' - ')))
  const [, cik, role] = / \((\d{1,10})\) \(([^()]{1,100})\)$/.exec(title) ?? []
  const accession = /AccNo:(?:<\/b>)?\s*(\d{10}-\d{2}-\d{6})/.exec(summary)?.[1]
  const filed = /Filed:(?:<\/b>)?\s*(\d{4}-\d{2}-\d{2})/.exec(summary)?.[1]
  const at = Date.parse(updated)
  if (!form || !cik || !role || !accession || !filed || Number.isNaN(at)) return []
  return [{ form, cik: Number(cik), role, accession, filed, at }]
}
