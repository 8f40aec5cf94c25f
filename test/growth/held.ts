/**
 * Run as a process: reads the largest bodies of upstreams as the process that sells does where it loads too, and prints how long
 * each held its thread at most between two turns of other work, in ms of the processor. LONG_FORM=1: at their bounds.
 */
import type { Log } from '../../pipelines/rails/log/log.ts'
import type { Answer, Outside } from '../../pipelines/rails/outside/upstreams/outside.ts'
import { alerts } from '../../pipelines/sources/alerts.ts'
import { catalog } from '../../pipelines/sources/catalog.ts'
import { append } from '../../pipelines/sources/intake.ts'
import { fetchFacts, fetchSubmissions, submissionPages } from '../../pipelines/sources/sec/company.ts'
import type { Emitted } from '../../pipelines/sources/source.ts'

interface Large {
  bytes: number
  /** The body of about so many bytes. */
  bodies: Record<string, (bytes: number) => Buffer>
  read(outside: Outside): AsyncIterable<readonly Emitted[]>
}

const isLong = process.env.LONG_FORM !== undefined
const mb = 1 << 20

const again = (text: string, bytes: number): string =>
  `${text},`.repeat(Math.max(1, bytes / text.length)).slice(0, -1)
const listed = (start: string, member: string, end: string, bytes: number): Buffer =>
  Buffer.from(start + again(member, bytes - start.length - end.length) + end)

const item = (more: string) =>
  `{"resource":"https://a.example/a","type":"http","accepts":[{"scheme":"exact","network":"base","amount":"1"}],${more}}`
const pageEnd = '],"pagination":{"limit":1000,"offset":0,"total":1000}}'
/** A page of 1,000 resources. */
const page = (more: (bytes: number) => string) => (bytes: number) =>
  Buffer.from(`{"items":[${Array.from({ length: 1000 }, () => item(more(bytes / 1000))).join()}${pageEnd}`)

const feature = (more: string) =>
  `{"type":"Feature",${more},"properties":{"id":"urn:a","event":"Flood Warning","status":"Actual","messageType":"Alert","severity":"Severe","sent":"2026-11-28T10:00:00-05:00","expires":"2026-11-29T10:00:00-05:00"}}`
const alertsStart = '{"type":"FeatureCollection","features":['
const outline = (bytes: number) =>
  `"geometry":{"type":"Polygon","coordinates":[[${again('[-97.123456,35.123456]', bytes)}]]}`

const columns = ['accessionNumber', 'filingDate', 'form', 'items', 'primaryDocument', 'size']
const fact =
  '{"start":"2025-01-01","end":"2025-12-31","val":1234567890,"accn":"0000000001-26-000001","fy":2025,"fp":"FY","form":"10-K","filed":"2026-02-01"}'
const concept = (name: string, bytes: number) =>
  `"${name}":{"label":"a","units":{"USD":[${again(fact, bytes)}]}}`
const company = (concepts: string) => `{"cik":1,"facts":{"us-gaap":{${concepts}}}}`

const larges: Record<string, Large> = {
  'a page of the catalog': {
    bytes: 90 * mb,
    bodies: {
      texts: page(bytes => `"description":"${'word '.repeat(bytes / 5)}"`),
      numbers: page(bytes => `"metadata":[${again('7.25', Math.min(bytes, 15_000))}]`),
      names: page(bytes => {
        const most = Math.min(bytes / 9, 500)
        return `"extensions":{${Array.from({ length: most }, (_, i) => `"n${i}":{"a":1}`).join()}}`
      }),
      'one resource': bytes =>
        listed(
          '{"items":[{"resource":"https://a.example/","tags":[',
          '"word"',
          `]}${pageEnd}`,
          Math.min(bytes, 20 * mb),
        ),
      'more resources than were asked for': bytes =>
        listed('{"items":[', '{}', pageEnd, Math.min(bytes, 5 * mb)),
    },
    async *read(outside) {
      for await (const { events } of catalog.pull(undefined, outside, {})) yield events
    },
  },
  'the weather alerts': {
    bytes: 60 * mb,
    bodies: {
      'small ones': bytes => listed(alertsStart, feature('"geometry":null'), ']}', bytes / 4),
      outlines: bytes => listed(alertsStart, feature(outline(400_000)), ']}', bytes),
      'one outline': bytes => listed(alertsStart, feature(outline(bytes - 10_000)), ']}', bytes),
      'one that cannot be read': bytes =>
        listed(alertsStart, `{"properties":{"id":"${'a'.repeat(900_000)}"}}`, ']}', bytes),
    },
    async *read(outside) {
      for await (const { events } of alerts.pull(undefined, outside, {})) yield events
    },
  },
  'the filings of a company': {
    bytes: 60 * mb,
    bodies: {
      filings: bytes => {
        const count = Math.floor(bytes / 110)
        const rows = columns.map(
          (name, at) =>
            `"${name}":[${Array.from({ length: count }, (_, i) => (at === 0 ? `"0000000001-26-${i}"` : '"2026-11-28"')).join()}]`,
        )
        return Buffer.from(`{"cik":"1","name":"A","filings":{"recent":{${rows.join()}},"files":[]}}`)
      },
    },
    async *read(outside) {
      const read = await fetchSubmissions(outside, 1)
      if (read) yield* submissionPages(read)
    },
  },
  'the facts of a company': {
    bytes: 60 * mb,
    bodies: {
      concepts: bytes =>
        Buffer.from(
          company(Array.from({ length: bytes / 100_000 }, (_, i) => concept(`C${i}`, 100_000)).join()),
        ),
      'concepts that count': bytes =>
        Buffer.from(
          company(
            Array.from({ length: Math.min(bytes, 12 * mb) / 1_000_000 }, () =>
              concept('Assets', 1_000_000),
            ).join(),
          ),
        ),
      'long concepts': bytes =>
        Buffer.from(
          company(Array.from({ length: bytes / (2 * mb) }, (_, i) => concept(`C${i}`, 1.9 * mb)).join()),
        ),
      'one concept': bytes => Buffer.from(company(concept('Assets', bytes))),
    },
    read: outside => fetchFacts(outside, 1),
  },
}

const log = { append: async () => {} } as unknown as Log

/** The longest time of this thread between two turns of work that waits beside the reading. */
async function heldBy(read: () => AsyncIterable<readonly Emitted[]>) {
  let [last, longest, turns, events] = [process.threadCpuUsage(), 0, 0, 0]
  let isOver = false
  const look = () => {
    const { user, system } = process.threadCpuUsage(last)
    last = process.threadCpuUsage()
    longest = Math.max(longest, (user + system) / 1000)
    turns++
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
  let end = 'read'
  try {
    for await (const read_ of read()) {
      await append(read_, { log, source: 'held', now: () => 0 })
      events += read_.length
    }
  } catch (error) {
    // A named end is an end.
    end = String(error instanceof Error ? error.message : error).slice(0, 100)
  }
  isOver = true
  await new Promise(resolve => setImmediate(resolve))
  return { longest: Math.round(longest), turns, events, end }
}

for (const [of, { bytes, bodies, read }] of Object.entries(larges))
  for (const [name, body] of Object.entries(bodies)) {
    const given = body(isLong ? bytes : bytes / 20)
    const answer = {
      ...{ status: 200, from: 'it', unchanged: false, bytes: given, validators: {} },
      text: () => given.toString(),
      header: () => undefined,
    } satisfies Answer
    const outside = {
      now: () => Date.UTC(2026, 10, 28),
      signal: new AbortController().signal,
      get: async () => answer,
    } as unknown as Outside
    const found = await heldBy(() => read(outside))
    console.log(JSON.stringify({ of, name, mb: Math.round(given.length / mb), ...found }))
  }
