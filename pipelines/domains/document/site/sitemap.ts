/** What a sitemap, an index of sitemaps, a list of addresses or a robots.txt names. Any of them may be packed. */
import { constants, gunzipSync } from 'node:zlib'
import { type DocumentSource, sourceText } from '../source.ts'
import { addressIn } from './addresses.ts'

export interface Listed {
  /** Further sitemaps. */
  lists: string[]
  pages: { url: string; lastmod: string | null }[]
  /** It names more than we take. */
  isCut: boolean
}

/** As the protocol of sitemaps allows. A larger one is refused whole. */
const mostUnpacked = 50 << 20
const mostLists = 200
const mostPages = 10_000
const mostChars = 1 << 20

const entry = /<(loc|lastmod)(?:\s[^<>]{0,200})?>(<!\[CDATA\[)?([^<>]{1,2200})/gi
const index = /<(?:[a-z0-9]{1,20}:)?sitemapindex[\s>]/i
const day = /^\s{0,20}(\d{4}(?:-\d\d){0,2}(?:T[\d:.]{1,20}(?:Z|[+-]\d\d:\d\d)?)?)/
const named = /^[ \t]{0,20}sitemap[ \t]{0,20}:[ \t]{0,20}([^\s]{1,2200})/gim
const line = /^[ \t]{0,20}(https?:\/\/[^\s]{1,2200})/gim

export function listedIn(source: DocumentSource, url: string): Listed {
  const text = textIn(source)
  const listed: Listed = { lists: [], pages: [], isCut: false }
  let chars = 0
  const isFull = () =>
    listed.pages.length >= mostPages || listed.lists.length >= mostLists || chars > mostChars

  function list(found: string): void {
    const address = URL.parse(found, url)
    if (!address || !/^https?:$/.test(address.protocol) || address.href.length > 2048) return
    listed.lists.push(address.href)
    chars += address.href.length
  }
  function add(found: string): void {
    const address = addressIn(found, url)
    if (address === undefined) return
    listed.pages.push({ url: address, lastmod: null })
    chars += address.length
  }
  const all = /^\uFEFF?\s{0,200}</.test(text) ? entriesIn(text) : linesIn(text)
  for (const { kind, value } of all) {
    if (isFull()) return { ...listed, isCut: true }
    const last = listed.pages.at(-1)
    if (kind === 'list') list(value)
    else if (kind === 'page') add(value)
    else if (last) last.lastmod = day.exec(value)?.[1] ?? null
  }
  return listed
}

interface Entry {
  kind: 'list' | 'page' | 'lastmod'
  value: string
}

function* entriesIn(text: string): Generator<Entry> {
  const kind = index.test(text.slice(0, 5_000)) ? 'list' : 'page'
  for (const [, name = '', section, value = ''] of text.matchAll(entry)) {
    const whole = section && value.endsWith(']]') ? value.slice(0, -2) : value
    const isPlace = name.toLowerCase() === 'loc'
    if (isPlace || kind === 'page')
      yield { kind: isPlace ? kind : 'lastmod', value: section ? whole : decoded(whole) }
  }
}

function* linesIn(text: string): Generator<Entry> {
  for (const [, value = ''] of text.matchAll(named)) yield { kind: 'list', value }
  for (const [, value = ''] of text.matchAll(line)) yield { kind: 'page', value }
}

/** Throws where it unpacks to more than a sitemap may have. The end of a file that was cut is missing. */
function textIn(source: DocumentSource): string {
  if ('html' in source || source.bytes[0] !== 0x1f || source.bytes[1] !== 0x8b) return sourceText(source)
  const options = { maxOutputLength: mostUnpacked, finishFlush: constants.Z_SYNC_FLUSH }
  return sourceText({ ...source, bytes: gunzipSync(source.bytes, options) })
}

const signs: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const decoded = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => signs[name] ?? '')
