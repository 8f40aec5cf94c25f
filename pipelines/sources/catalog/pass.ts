/** One pass over a catalog: it says which page is next, and whether the pages still belong together. */
import { createHash } from 'node:crypto'
import type { MarketSnapshot } from '../../../schemas/market-snapshots.ts'
import { instant } from '../../../schemas/values/values.ts'
import { countOf, recordOf } from '../../domains/x402/json.ts'
import { UpstreamFailed } from '../../rails/failures.ts'
import { parseInPieces } from '../../rails/formats/json-pieces.ts'
import { inTurns } from '../../rails/formats/members.ts'
import type { Outside } from '../../rails/outside/upstreams/outside.ts'
import { type CatalogItem, readItem } from './item.ts'
import { catalogUpstream, resourcesPath } from './upstream.ts'

export interface Pass {
  snapshot: string
  /** The offset of the next page. */
  offset: number
  step: number
  total_first: number
  items: number
  rated: number
  unread: number
  sha256: string
}

interface CatalogPage {
  items: readonly unknown[]
  total: number
  step: number
}

interface CatalogRows {
  rows: CatalogItem[]
  /** The items that are not too long to be looked at. */
  seen: unknown[]
  sha256: string
}

/** Of an item. A longer one is none that anybody could sell. */
const mostItemBytes = 256 << 10
/** The catalog allows no higher limit, and rounds an offset down to a multiple of the limit. */
const pageLimit = 1000
/** A catalog with more rows is more than we can hold. */
const mostRows = 250_000
const mostDrift = 0.005
/** A catalog changes by about 1 % in 5 hours. A pass that stopped longer ago than this starts again. */
const longestPassMs = 30 * 60_000

export const beginPass = (now: number): Pass => ({
  snapshot: instant(now),
  offset: 0,
  step: pageLimit,
  total_first: 0,
  items: 0,
  rated: 0,
  unread: 0,
  sha256: '0'.repeat(64),
})

export const isYoung = (pass: Pass, now: number): boolean => now - Date.parse(pass.snapshot) < longestPassMs

export async function readPage(outside: Outside, { offset, step }: Pass): Promise<CatalogPage> {
  const answer = await outside.get(catalogUpstream, `${resourcesPath}?limit=${step}&offset=${offset}`, {
    accept: 'application/json',
    maxBytes: 96 * 2 ** 20,
    timeoutMs: 60_000,
  })
  const { from } = answer
  const body = recordOf(await parsed(answer.bytes, from))
  const { limit, offset: at = offset, total } = recordOf(body.pagination)
  if (!Array.isArray(body.items) || !countOf(total))
    throw new UpstreamFailed(`${from} answered with something other than a page of resources`)
  if (at !== offset) throw new UpstreamFailed(`${from} answered with the page at ${at}`)
  if (body.items.length > step)
    throw new UpstreamFailed(`${from} answered with ${body.items.length} resources to a request for ${step}`)
  const rows = total as number
  if (rows > mostRows) throw new UpstreamFailed(`${from} claims ${rows} resources`)
  const smaller = typeof limit === 'number' && limit > 0 && limit < step ? limit : step
  return { items: body.items, total: rows, step: smaller }
}

/** One read of the rows after the other: a page is read while paid calls are answered. */
export async function rowsOn({ items }: CatalogPage, { sha256 }: Pass): Promise<CatalogRows> {
  const hash = createHash('sha256').update(sha256)
  const rows: CatalogItem[] = []
  const seen: unknown[] = []
  for await (const { member, bytes } of inTurns(items, mostItemBytes)) {
    if (bytes > mostItemBytes) continue
    seen.push(member)
    const row = readItem(member)
    if (!row) continue
    hash.update(rows.length ? ',' : '[').update(JSON.stringify(row))
    rows.push(row)
  }
  return { rows, seen, sha256: hash.update(rows.length ? ']' : '[]').digest('hex') }
}

async function parsed(bytes: Buffer, from: string): Promise<unknown> {
  try {
    return await parseInPieces(bytes)
  } catch {
    // The world fails: this is a login page, or a body that was cut off.
    throw new UpstreamFailed(`${from} answered with text that is not JSON`)
  }
}

/** Returns the pass after this page. Its hash depends only on the rows that were read. */
export const advanced = (
  pass: Pass,
  { items, total, step }: CatalogPage,
  { rows, sha256 }: CatalogRows,
): Pass => ({
  ...pass,
  step,
  offset: pass.offset + step,
  total_first: pass.offset === 0 ? total : pass.total_first,
  items: pass.items + items.length,
  rated: pass.rated + rows.filter(row => row.calls_30d !== null).length,
  unread: pass.unread + items.length - rows.length,
  sha256,
})

const apart = (a: number, b: number) => Math.abs(a - b) > Math.max(1, mostDrift * Math.max(a, b))

/** Says why the pages do not belong together, if they do not. */
export function brokenBy(pass: Pass, { items, total }: CatalogPage): string | undefined {
  if (apart(total, pass.total_first)) return `the total went from ${pass.total_first} to ${total}`
  if (isOver(pass, total) ? apart(pass.items, total) : items.length === 0)
    return `${pass.items} of ${total} rows came`
  return undefined
}

export const isOver = (pass: Pass, total: number): boolean => pass.offset >= total

export const snapshotOf = (pass: Pass, total: number, now: number, source: string): MarketSnapshot => ({
  snapshot: pass.snapshot,
  day: pass.snapshot.slice(0, 10),
  source,
  ended_at: instant(now),
  total_first: pass.total_first,
  total_last: total,
  items: pass.items,
  rated: pass.rated,
  unread: pass.unread,
  pages_sha256: pass.sha256,
})
