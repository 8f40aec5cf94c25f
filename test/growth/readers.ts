/** The readers of what strangers write, and the texts that each is tried with, of these sizes. */

import { composed, framesIn } from '../../pipelines/domains/document/page/composed.ts'
import { mainOf } from '../../pipelines/domains/document/page/main.ts'
import { linksIn } from '../../pipelines/domains/document/site/links.ts'
import { listedIn } from '../../pipelines/domains/document/site/sitemap.ts'
import { extractiveSummary } from '../../pipelines/domains/document/summary/extractive.ts'
import { extract } from '../../pipelines/domains/product/extract.ts'
import { lenientReader } from '../../pipelines/domains/product/lenient-json.ts'
import { pricesIn } from '../../pipelines/domains/product/price.ts'
import { plainText } from '../../pipelines/domains/product/texts.ts'
import { textOf } from '../../pipelines/rails/formats/charset.ts'
import { challengeIn } from '../../pipelines/rails/outside/pages/challenge.ts'
import { readRules } from '../../pipelines/rails/outside/pages/robots-rules.ts'
import { isThin } from '../../pipelines/rails/outside/pages/thin.ts'
import { visibleOf } from '../../pipelines/rails/outside/pages/visible.ts'
import { type Input, pages, plain } from './inputs.ts'

export interface Reader {
  inputs: Record<string, Input>
  /** The largest size. It is tried with a half and a quarter of it too. */
  bytes: number
  /** The largest size of the short form, for readers that take long. Absent: the same. */
  shortBytes?: number
  /** Below it a time says nothing of growth. Absent: 300. */
  leastMs?: number
  /** Texts that take squares of a size up to a bound, with what they take there at most, in ms. */
  bounded?: Record<string, number>
  read(text: string): unknown
}

const [kb, mb] = [1 << 10, 1 << 20]
const all = { ...plain, ...pages }
const url = 'http://shop.sample/cup-48213'

export const readers: Record<string, Reader> = {
  'robots.txt': {
    inputs: plain,
    bytes: 512 * kb,
    read: text => readRules(Buffer.from(`User-agent: Farebox\nDisallow: /${text}`), 'Farebox'),
  },
  'robots.txt of many lines': {
    inputs: { newlines: plain['"\\n"'] as Input, agents: n => 'user-agent: farebox\n'.repeat(n / 20) },
    bytes: 512 * kb,
    read: text => readRules(Buffer.from(text), 'Farebox'),
  },
  'a sitemap': {
    inputs: {
      ...plain,
      entries: n => '<url><loc>http://a.sample/a</loc></url>'.repeat(n / 40),
      ends: n => '<loc>'.repeat(n / 5),
    },
    bytes: 1 * mb,
    read: text => listedIn({ bytes: Buffer.from(`<urlset>${text}`), charset: undefined }, url),
  },
  'the links of a page': {
    inputs: { ...pages, links: n => '<a href="/a">a</a> '.repeat(n / 20) },
    bytes: 512 * kb,
    shortBytes: 64 * kb,
    read: text => linksIn(text, url),
  },
  charset: {
    inputs: all,
    bytes: 1 * mb,
    read: text => textOf({ bytes: Buffer.from(text), charset: undefined }),
  },
  'a challenge': { inputs: all, bytes: 200 * kb, read: challengeIn },
  'a thin page': {
    inputs: pages,
    bytes: 1 * mb,
    shortBytes: 256 * kb,
    read: text => isThin(`<script></script>${'word '.repeat(100)}${text}`),
  },
  'the visible text': {
    inputs: pages,
    bytes: 1 * mb,
    shortBytes: 256 * kb,
    read: text => visibleOf(text, 400_000),
  },
  'the trees of a page': {
    inputs: pages,
    bytes: 1 * mb,
    shortBytes: 256 * kb,
    read: text => [
      composed(`<a-b><template shadowrootmode=open></template></a-b>${text}`),
      framesIn(text, url),
    ],
  },
  'the main text': {
    inputs: pages,
    bytes: 128 * kb,
    shortBytes: 16 * kb,
    // Readability walks over all 2,000 children of an element that it reads, which are the most (page/intricate.ts).
    bounded: { 'lists in lists': 4_000, '"<ul><li>"': 4_000, '"<ol><li>"': 4_000 },
    read: text => mainOf(text, url),
  },
  'the main text of many siblings': {
    inputs: {
      paragraphs: n => '<p class="a q">aaa'.repeat(n / 18),
      frames: n => '<div><p class=a>A text.</p></div>'.repeat(n / 33),
      formulas: n => '<math><mn>1</mn></math>'.repeat(n / 23),
      powers: n => 'a<sup>2</sup> '.repeat(n / 14),
    },
    bytes: 1 * mb,
    shortBytes: 256 * kb,
    read: text => mainOf(text, url),
  },
  'a product': {
    inputs: all,
    bytes: 192 * kb,
    shortBytes: 64 * kb,
    read: text => extract({ html: text, url, finalUrl: url, now: 0 }),
  },
  'lenient JSON': {
    inputs: all,
    bytes: 192 * kb,
    shortBytes: 32 * kb,
    read: text => {
      const read = lenientReader()
      for (const start of ['', '{', '{"a":"', '[1,']) read(start + text)
    },
  },
  prices: { inputs: plain, bytes: 256 * kb, read: text => pricesIn(text, { language: 'en', country: 'US' }) },
  'a text of a field': {
    inputs: all,
    bytes: 256 * kb,
    shortBytes: 32 * kb,
    read: text => plainText(text, 5_000),
  },
  'a summary': { inputs: plain, bytes: 200 * kb, read: text => extractiveSummary(text, 100) },
}
