/** What strangers do to the public door, one after the other: see health.process.test.ts. */
import { written } from '../../../pipelines/domains/attestation/stamps/der.ts'
import { pdfOf } from '../../pipelines/domains/document/pdf-file.ts'
import type { SoldAnswers } from './sold.ts'

/** Asks once, and pays where it is `paid`. Resolves with the status. */
export interface Attacker {
  ask(path: string, body?: unknown): Promise<number>
  paid(path: string, question: object | string, key?: string): Promise<number>
}

export interface Site {
  status?: number
  type?: string
  body: Buffer
}

const isLong = process.env.LONG_FORM !== undefined
const [kb, mb] = [1 << 10, 1 << 20]
const largest = (bytes: number): number => (isLong ? bytes : Math.min(bytes, 256 * kb))
const times = isLong ? 40 : 4

const filled = (unit: string, bytes: number, start = '', end = ''): Buffer =>
  Buffer.from(start + unit.repeat(Math.floor((bytes - start.length - end.length) / unit.length)) + end)
const pageBytes = largest(8 * mb - kb)
const thin = '<div id="root"></div><script>root.innerText = "a"</script>'

/** The sites of the attacker, by name: each has its robots.txt and one page. */
export const sites: Readonly<Record<string, Site & { robots?: Buffer }>> = {
  'newlines.sample': { body: Buffer.from('<p>page'), robots: filled('\n', 512 * kb) },
  'groups.sample': { body: Buffer.from('<p>page'), robots: filled('user-agent: farebox\n', 512 * kb) },
  'tags.sample': { body: filled('<div>', pageBytes) },
  'blanks.sample': { body: filled(' ', pageBytes, '<p>a') },
  'lists.sample': { body: filled('<ul><li>', pageBytes) },
  'cells.sample': { body: filled('<td>a<td>', pageBytes) },
  'thin.sample': { body: filled('<!-- a -->', largest(8 * mb - kb), thin) },
  'grown.sample': {
    body: Buffer.from(
      `<div id="root"></div><script>root.innerText = Array.from({ length: ${largest(3 * mb) / 8} }, (_, i) => (i * 2654435761 % 4294967296).toString(36)).join(' ')</script>`,
    ),
  },
  'pdf.sample': {
    type: 'application/pdf',
    body: pdfOf({ pages: [Array<string>(largest(24 * mb) / 64).fill('many words on one page')] }),
  },
  'noise-pdf.sample': {
    type: 'application/pdf',
    body: filled('[<</A[', largest(24 * mb), '%PDF-1.7\n1 0 obj\n', '\nendobj\ntrailer <</Root 1 0 R>>'),
  },
  'quote.sample': {
    status: 402,
    type: 'application/json',
    body: filled('{"scheme":"exact","network":"base","amount":"1"},', 256 * kb, '{"accepts":[', '{}]}'),
  },
  'deep-quote.sample': {
    status: 402,
    type: 'application/json',
    body: filled('[', 256 * kb, '{"accepts":'),
  },
}

const soldBytes = largest(4 * mb - kb)
/** Of the API behind a file. Each is looked through for the secrets of the file. */
export const soldAnswers: SoldAnswers = {
  json: Buffer.from('1'),
  numbers: filled('0,', soldBytes, '[', '0]'),
  texts: filled('"a",', soldBytes, '[', '"a"]'),
  'a-text': filled('a', soldBytes, '"', '"'),
  escapes: filled('\\u0061', soldBytes, '"', '"'),
  entities: filled('&#x61;', soldBytes, '"', '"'),
  percents: filled('%2525', soldBytes, '"', '"'),
  noise: Buffer.alloc(Math.min(soldBytes, 2 * mb - kb), '%&\\'),
}
const soldNames = Object.keys(soldAnswers)

const tool = (name: string, given: object) => ({
  ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
  params: { name, arguments: given },
})
const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
const ofNames = (bytes: number) =>
  `{${Array.from({ length: bytes / 14 }, (_, i) => `"${String(i).padStart(9, '0')}":0`).join()}}`
const token = written(0x30, written(6, Buffer.alloc(largest(1.4 * mb), 0xff))).toString('base64')
const url = (name: string) => `http://${name}/`
const fresh = { max_age_seconds: 0 }
const stamped = { timestamps: Array<object>(8).fill({ token_base64: token.slice(0, token.length / 8) }) }

/** Asks `often` times, `atOnce` of them at the same time. */
async function crowd(atOnce: number, often: number, ask: (i: number) => Promise<unknown>): Promise<void> {
  let begun = 0
  const one = async () => {
    while (begun < often) await ask(begun++)
  }
  await Promise.all(Array.from({ length: atOnce }, one))
}
const reads = (name: string) => async (by: Attacker) => {
  await Promise.all([
    by.paid('/read', { url: url(name), ...fresh }),
    by.paid('/read', { url: url(name), format: 'markdown', ...fresh }),
    by.paid('/extract', { url: url(name), ...fresh }),
  ])
}

export const attacks: Readonly<Record<string, (by: Attacker) => Promise<unknown>>> = {
  'robots.txt of newlines': by =>
    Promise.all([
      by.ask('/mcp', tool('read', { url: url('newlines.sample') })),
      by.paid('/read', { url: url('newlines.sample'), ...fresh }),
    ]),
  'robots.txt of groups for us': by => by.paid('/read', { url: url('groups.sample'), ...fresh }),
  'attestations with a long OID': by =>
    crowd(4, times, () =>
      by.ask('/attest/verify', { statement: {}, signature: {}, timestamps: [{ token_base64: token }] }),
    ),
  'attestations with many long OIDs': by =>
    crowd(4, times, () => by.ask('/attest/verify', { statement: {}, signature: {}, ...stamped })),
  'a page of open tags': reads('tags.sample'),
  'a page of blanks': reads('blanks.sample'),
  'a page of lists in lists': reads('lists.sample'),
  'a page of cells': reads('cells.sample'),
  'a large page for the browser': by =>
    Promise.all([
      by.paid('/read', { url: url('thin.sample'), ...fresh }),
      by.paid('/screenshot', { url: url('thin.sample'), ...fresh }),
      by.paid('/attest', { url: url('thin.sample'), include: ['text', 'screenshot', 'html'] }),
    ]),
  'a page that grows in the browser': by =>
    Promise.all([
      by.paid('/read', { url: url('grown.sample'), ...fresh }),
      by.paid('/attest', { url: url('grown.sample'), include: ['text', 'screenshot', 'html'] }),
    ]),
  'a PDF of a long page': by => by.paid('/pdf', { url: url('pdf.sample'), ...fresh }),
  'a PDF of nests': by => by.paid('/pdf', { url: url('noise-pdf.sample'), ...fresh }),
  'quotes of 256 KB': by =>
    crowd(4, times, i =>
      by.ask(`/check?url=${encodeURIComponent(`${url(i % 2 ? 'quote.sample' : 'deep-quote.sample')}${i}`)}`),
    ),
  'bodies of 64 nests': by =>
    crowd(8, times * 8, i =>
      by.ask(['/fx', '/mcp', '/receipts/verify', '/weigh/subscribe'][i % 4] as string, nested(64)),
    ),
  'bodies of the largest size': by =>
    crowd(8, times * 8, i => {
      const path = ['/fx', '/mcp', '/receipts/verify', '/summarize'][i % 4] as string
      return by.ask(path, ofNames(path === '/mcp' ? 127 * kb : path === '/summarize' ? mb - kb : 63 * kb))
    }),
  'paid questions of the largest size': by =>
    crowd(2, times, i => by.paid('/summarize', `{"text":"${'\\u0061\\u002e '.repeat(33_000)}${i}."}`)),
  'half of a letter in a receipt': by =>
    crowd(4, times, () =>
      by.ask('/receipts/verify', '{"settlement":{"a":"\\ud800"},"question":{"a":"\\udc00"}}'),
    ),
  'large answers again and again': by =>
    crowd(4, times, () =>
      by.paid('/screenshot', { url: url('thin.sample') }, 'one-key-for-one-large-answer'),
    ),
  'pages and metrics, asked fast': by =>
    crowd(8, times * 20, i => by.ask(polled[i % polled.length] as string)),
  'large answers of the API of a file': by =>
    crowd(4, 2 * soldNames.length, i =>
      by.paid('/sold/json', { name: soldNames[i % soldNames.length], nth: i }),
    ),
  'large bytes of the API of a file': by =>
    crowd(4, times, i => by.paid('/sold/bytes', { name: i % 2 ? 'noise' : 'percents', nth: i })),
  'batches of the API of a file': by =>
    crowd(2, times, i =>
      by.paid('/sold/json/batch', {
        items: Array.from({ length: 20 }, (_, n) => ({ name: 'numbers', nth: 100 * (i + 1) + n })),
      }),
    ),
  'questions of the largest size to a file': by =>
    crowd(4, times, i =>
      by.paid('/sold/texts', {
        texts: Array<string>(100).fill(`${'a'.repeat(80)} ${'a'.repeat(79)}-`),
        nth: i,
      }),
    ),
  'rows of a view of a file': by => crowd(4, times, i => by.paid('/sold/rows', { nth: i })),
  'a module of a file that prints, is busy and answers much': by =>
    crowd(6, times + 2, i =>
      by.paid('/sold/module', { way: ['prints', 'answers much', 'is busy'][i % 3] as string, nth: i }),
    ),
  'lists of tools, asked fast': by =>
    crowd(8, times * 8, () => by.ask('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })),
}
const polled = ['/metrics', '/health', '/', '/openapi.json', '/llms.txt', '/docs/read', '/status', '/lineage']
