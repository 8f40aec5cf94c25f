/** What callers, sellers, filers, upstreams, nodes, facilitators and other roles write, and where it is read. */

import { zstdCompressSync } from 'node:zlib'
import { z } from 'zod'
import { written } from '../../pipelines/domains/attestation/stamps/der.ts'
import { readToken } from '../../pipelines/domains/attestation/stamps/token.ts'
import { trustIn } from '../../pipelines/domains/attestation/stamps/trust.ts'
import { canonicalText } from '../../pipelines/domains/attestation/statement.ts'
import { noteSigner, openCheckpoint } from '../../pipelines/domains/attestation/tlog/note.ts'
import { verify } from '../../pipelines/domains/attestation/verification.ts'
import { cleaned, likeness } from '../../pipelines/domains/chain/text.ts'
import { releaseIn } from '../../pipelines/domains/company/events/release.ts'
import { insidersIn } from '../../pipelines/domains/company/insiders/ownership.ts'
import { termsOf } from '../../pipelines/domains/market/words.ts'
import { isTooMuch } from '../../pipelines/domains/payments/evm/refusal.ts'
import { askQuote, problemsOf } from '../../pipelines/domains/x402/quote-probe.ts'
import { readQuotes } from '../../pipelines/domains/x402/quotes.ts'
import { readTyped, wordings } from '../../pipelines/lookups/geocode/address.ts'
import { plain as plainResult } from '../../pipelines/lookups/search/results.ts'
import { readJson } from '../../pipelines/rails/formats/json.ts'
import { readXml } from '../../pipelines/rails/formats/xml.ts'
import { recordsIn } from '../../pipelines/rails/log/kafka-records.ts'
import { unpacked } from '../../pipelines/rails/outside/browser/packing.ts'
import { sha256 } from '../../pipelines/rails/signing/sha256.ts'
import { readItem } from '../../pipelines/sources/catalog/item.ts'
import { hoursOf, periodOf, scopeOf } from '../../pipelines/sources/faa/notam.ts'
import { entryOf } from '../../pipelines/sources/sec/feed.ts'
import { readSubmissions } from '../../pipelines/sources/sec/submissions.ts'
import { eventsIn } from '../../schemas/dataset/packed-events.ts'
import { datasets } from '../../schemas/index.ts'
import { readAddress } from '../../schemas/values/resource-address.ts'
import { readStrictJson } from '../../schemas/values/strict-json.ts'
import { hostsOnly } from '../../services/config/hosts-only.ts'
import { errorBody } from '../../services/offer/errors.ts'
import { MarketIndex } from '../../services/origins/data/market/listing-index.ts'
import { origins } from '../../services/origins/index.ts'
import { questionOf } from '../../services/query/answers.ts'
import { receiptRoutes } from '../../services/query/signing/routes.ts'
import { answerText } from '../../services/sell/answer.ts'
import { ModuleLines } from '../../services/sell/module/said.ts'
import { originOf } from '../../services/sell/origin.ts'
import { readSettled, readVerified } from '../../services/till/facilitator/reply.ts'
import { decode } from '../../services/till/header.ts'
import { context, fileOf } from '../services/sell/reading.ts'
import { type Input, pages, plain } from './inputs.ts'
import type { Reader } from './readers.ts'

const [kb, mb] = [1 << 10, 1 << 20]
const all = { ...plain, ...pages }

const again =
  (unit: string, open = '', close = ''): Input =>
  bytes =>
    open + unit.repeat(Math.max(1, Math.floor(bytes / unit.length))) + close
/** A list needs no comma at its end. */
const list =
  (unit: string, open: string, close: string): Input =>
  bytes =>
    `${open}${`${unit},`.repeat(Math.floor(bytes / (unit.length + 1)))}${unit}${close}`
const names =
  (value: string): Input =>
  bytes =>
    `{${Array.from({ length: Math.floor(bytes / (10 + value.length)) }, (_, i) => `"${String(i).padStart(6, '0')}":${value}`).join()}}`

/** JSON of many small parts, of few long ones, and nearly JSON. */
const jsons: Record<string, Input> = {
  numbers: list('0', '[', ']'),
  'long numbers': list('1234567890123456789', '[', ']'),
  digits: again('9', '[', ']'),
  lists: list('[]', '[', ']'),
  objects: list('{"a":{}}', '[', ']'),
  'lists in lists': bytes => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2),
  names: names('0'),
  'names of lists': names('[]'),
  'a long text': again('a', '["', '"]'),
  'a text of slashes': again('\\\\', '["', '"]'),
  'a text of quotes': again('\\"', '["', '"]'),
  'a text of escapes': again('\\u0061', '["', '"]'),
  'texts of escapes': list('"\\u00e9\\n"', '[', ']'),
  'quotes without an end': again('"', '['),
  blanks: again(' ', '[', ']'),
  'no end': again('{"a":['),
}
const quoted = (text: string): string => JSON.stringify(text)

/** Each text of each question, in the place of every one that it has. */
const endpoints = origins.flatMap(({ operations, free }) => [...operations, ...free])
function ask(text: string): void {
  for (const endpoint of endpoints)
    for (const name of [...Object.keys(endpoint.example.request as object), 'more'])
      tried(() => questionOf(endpoint, { ...(endpoint.example.request as object), [name]: text }))
}
function askLists(json: string): void {
  const value = tried(() => readStrictJson(json))
  for (const endpoint of endpoints) {
    tried(() => questionOf(endpoint, value))
    for (const name of Object.keys(endpoint.example.request as object))
      tried(() => questionOf(endpoint, { ...(endpoint.example.request as object), [name]: value }))
  }
}
function tried<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    // A named end is an end.
    return undefined
  }
}

/** As Kafka writes a length. */
function numbered(value: number): string {
  const bytes: number[] = []
  for (let left = 2 * value; ; left >>>= 7) {
    bytes.push((left & 127) | (left > 127 ? 128 : 0))
    if (left < 128) return String.fromCharCode(...bytes)
  }
}
const signer = noteSigner('farebox/log', `0x${'1'.repeat(64)}`)
const known = { keys: [], logs: [signer], trust: trustIn('', []) }
const [, receipts] = receiptRoutes({ addresses: [] })
const refuse = () => {
  throw new Error('refused')
}
const ders: Record<string, Input> = {
  nulls: bytes => written(0x30, Buffer.alloc(bytes - 8, '\x05\x00')).toString('latin1'),
  'a long identifier': bytes => written(0x30, written(6, Buffer.alloc(bytes - 16, 0xff))).toString('latin1'),
  nests: bytes => '\x30\x80'.repeat(bytes / 2),
  sets: bytes =>
    written(0x31, ...Array.from({ length: bytes / 4 }, () => Buffer.of(0x31, 0x02, 0x05, 0x00))).toString(
      'latin1',
    ),
}
const notes: Record<string, Input> = {
  signatures: bytes => {
    const line = `— farebox/log ${Buffer.concat([signer.keyHash, Buffer.alloc(64)]).toString('base64')}\n`
    return `${signer.name}\n1\n${'a'.repeat(bytes / 2)}\n\n${line.repeat(Math.ceil(bytes / 2 / line.length))}`
  },
  lines: again('\n', signer.name, '\n'),
}
const marks: Record<string, Input> = { 'marks on a letter': again('\u0315\u0300', 'a') }
/** JSON, and other texts as a string of JSON. */
const values: Record<string, Input> = {
  ...jsons,
  ...Object.fromEntries(
    Object.entries({ ...plain, ...marks }).map(([name, input]) => [name, (n: number) => quoted(input(n))]),
  ),
}
/** What is looked through for a secret may be packed, and packed again. */
const packed: Record<string, Input> = {
  'percents of percents': again('%2525'),
  'numbers of letters': again('&#x26;#x26;'),
  escapes: again('\\u005c'),
  'escapes of escapes': again('\\\\'),
  hex: again('61'),
}
const xmls: Record<string, Input> = {
  elements: again('<a/>', '<x>', '</x>'),
  'elements in elements': bytes => '<a>'.repeat(bytes / 7) + '</a>'.repeat(bytes / 7),
  attributes: bytes => `<x ${Array.from({ length: bytes / 10 }, (_, i) => `a${i}="1"`).join(' ')}/>`,
  names: bytes => `<x ${Array.from({ length: bytes / 20 }, (_, i) => `xmlns:a${i}="u"`).join(' ')}><a/></x>`,
  entities: again('&amp;', '<x>', '</x>'),
  'no end': again('<a '),
  comments: again('<!-- -->', '<x>', '</x>'),
  'a comment without an end': again('- ', '<!--'),
  cdata: again('<![CDATA[a]]>', '<x>', '</x>'),
  'data without an end': again(']]', '<x><![CDATA['),
  blanks: again(' ', '<x>', '</x>'),
}
/** Each is one batch, as a broker sends it. */
const batches: Record<string, Input> = {
  'records of nothing': again('\x0c\x00\x00\x00\x01\x01\x00'),
  headers: bytes => {
    const count = Math.floor(bytes / 4)
    return `${numbered(4 * count + 12)}\x00\x00\x00\x01\x01${numbered(count)}${'\x02h\x01'.repeat(count)}`
  },
  'numbers without an end': again('\xff'),
}
for (const [name, input] of Object.entries(batches))
  batches[name] = bytes => {
    const records = Buffer.from(input(bytes), 'latin1')
    const head = Buffer.alloc(61)
    head.writeInt32BE(49 + records.length, 8)
    head[16] = 2
    head.writeInt32BE(name === 'headers' ? 1 : Math.min(100_000, Math.floor(records.length / 7)), 57)
    return Buffer.concat([head, records]).toString('latin1')
  }
const filing = { cik: 1, accession: '0000000001-26-000001', form: '4', filed: '2026-01-01', accepted: null }
const settled = { network: 'eip155:8453', payer: `0x${'ab'.repeat(20)}` }

const sold = { name: 'it', shape: z.unknown(), secrets: new Map([['TIDES_KEY', 'a-key/of+the"tides']]) }
function soldAs(gives: 'json' | 'text' | 'bytes', text: string): void {
  tried(() => answerText({ status: 200, type: text, bytes: Buffer.from(text) }, 0, { ...sold, gives }))
}
/** A question of a file has each place: path, query, header and body. */
const ofFile = originOf(
  fileOf({
    question: `{ station: { type: string, maxLength: 16000 }, day: { type: array, items: { type: string, pattern: '^[a-z]{1,99}$' } }, note: { type: string, default: a, maxLength: 16000 } }`,
    from: "headers: { x-note: '{note}' }, query: { day: '{day}' }",
    example: '{ question: { station: a, day: [a] } }',
  }),
  context(),
).origin?.operations[0] as (typeof endpoints)[number]
function askFile(value: unknown): void {
  for (const name of ['station', 'day', 'note'])
    tried(() => questionOf(ofFile, { station: 'a', day: ['a'], [name]: value }))
}

/** This reading holds up all other calls, so it must be faster. */
const here = { leastMs: 60 }

export const others: Record<string, Reader> = {
  'the JSON of a body': { ...here, inputs: jsons, bytes: 512 * kb, read: readStrictJson },
  'a payment header': {
    ...here,
    inputs: jsons,
    bytes: 6 * kb,
    read: json => {
      for (let i = 0; i < 50; i++) tried(() => decode(Buffer.from(json).toString('base64')))
    },
  },
  'a text in a question': { ...here, inputs: { ...all, ...marks }, bytes: 16 * kb, read: ask },
  'a list in a question': { ...here, inputs: jsons, bytes: 8 * kb, read: askLists },
  'a text in a question to a file': {
    ...here,
    inputs: { ...all, ...marks },
    bytes: 16 * kb,
    read: text => {
      askFile(text)
      askFile([text])
    },
  },
  'a list in a question to a file': {
    ...here,
    inputs: jsons,
    bytes: 64 * kb,
    read: json => askFile(tried(() => readStrictJson(json))),
  },
  'JSON that a file sells': {
    inputs: values,
    bytes: 1 * mb,
    shortBytes: 256 * kb,
    read: json => soldAs('json', json),
  },
  'a text that a file sells': {
    inputs: { ...plain, ...packed },
    bytes: 1 * mb,
    shortBytes: 256 * kb,
    read: text => soldAs('text', text),
  },
  'bytes that a file sells': {
    inputs: { ...plain, ...packed },
    bytes: 1 * mb,
    shortBytes: 256 * kb,
    read: text => soldAs('bytes', text),
  },
  'what a module prints': {
    ...here,
    inputs: { ...plain, ...marks },
    bytes: 256 * kb,
    read: text => new ModuleLines('it', () => {}, Date.now).hear(text),
  },
  'a settlement': {
    ...here,
    inputs: jsons,
    bytes: 64 * kb,
    read: json => {
      const value = tried(() => readStrictJson(json)) as object
      const settlement = {
        extensions: {
          'offer-receipt': {
            info: { receipt: { payload: {}, signature: '0x' }, answer: { payload: {}, signature: '0x' } },
          },
        },
      }
      for (const body of [
        { settlement: value },
        { settlement, question: { a: value }, answer: { a: value } },
      ])
        tried(() => receipts?.answer(questionOf(receipts, body), {} as never, refuse as never))
    },
  },
  'an attestation': {
    inputs: values,
    bytes: 1 * mb,
    read: json => {
      const value = tried(() => readStrictJson(json))
      for (const part of ['statement', 'signature', 'timestamps', 'log', 'evidence'])
        verify({ statement: {}, signature: {}, [part]: value }, known)
    },
  },
  'a time-stamp token': {
    ...here,
    inputs: ders,
    bytes: 64 * kb,
    read: text => readToken(Buffer.from(text, 'latin1'), { sha256: sha256(''), trust: known.trust }),
  },
  'a checkpoint': {
    ...here,
    inputs: { ...notes, ...plain },
    bytes: 1 * mb,
    read: text => openCheckpoint(text, signer),
  },
  'the text of a page that is attested': {
    ...here,
    inputs: { ...plain, ...marks },
    bytes: 1 * mb,
    read: canonicalText,
  },
  'an address of a resource': {
    ...here,
    inputs: all,
    bytes: 64 * kb,
    read: text => [
      readAddress(text),
      readAddress(`https://${text}`),
      readAddress(`https://a.example/${text}`),
    ],
  },
  'a typed address': {
    ...here,
    inputs: { ...plain, ...marks },
    bytes: 200,
    read: text => [wordings(text), readTyped(text)],
  },
  'an XML of an upstream': { inputs: xmls, bytes: 1 * mb, read: text => readXml(text, 'it') },
  'a form of insiders': {
    inputs: xmls,
    bytes: 1 * mb,
    read: text => insidersIn(`<ownershipDocument>${text}</ownershipDocument>`, filing, 'it'),
  },
  'JSON of an upstream': {
    inputs: jsons,
    bytes: 1 * mb,
    read: text => readJson(z.looseObject({}), text, 'it'),
  },
  'a search result': { ...here, inputs: all, bytes: 256 * kb, read: plainResult },
  'a resource of a catalog': {
    inputs: values,
    bytes: 256 * kb,
    read: json => {
      const value = tried(() => JSON.parse(json))
      const resource = 'https://a.example/'
      for (const name of ['resource', 'description', 'accepts', 'extensions', 'lastUpdated', 'metadata'])
        readItem({ resource, [name]: value })
      for (const name of ['amount', 'network', 'asset', 'payTo', 'scheme', 'extra'])
        readQuotes([{ amount: '1', [name]: value }])
    },
  },
  'the quote of an endpoint': {
    ...here,
    inputs: {
      ...jsons,
      accepts: again('{"scheme":"exact","network":"base","amount":"1"},', '{"accepts":[', '{}]}'),
      'a long amount': again('9', '{"accepts":[{"amount":"', '"}]}'),
      'a long network': again('a:', '{"accepts":[{"amount":"1","network":"', '"}]}'),
    },
    bytes: 256 * kb,
    read: async json => {
      const visited = { status: 402, hops: [], certificateEndsAt: undefined }
      const header = Buffer.from(json.slice(0, 16 * kb)).toString('base64')
      for (const [headers, body] of [
        [{}, json],
        [{ 'payment-required': header }, ''],
      ] as const) {
        const visit = async () => ({ ...visited, headers, bytes: Buffer.from(body) })
        const asked = { url: 'https://a.example/', method: 'GET' } as const
        const seen = await askQuote({ visit } as never, asked, new AbortController().signal)
        problemsOf(seen, 0)
      }
    },
  },
  'the words of a market': { ...here, inputs: { ...plain, ...marks }, bytes: 64 * kb, read: termsOf },
  'a listing of a market': {
    ...here,
    inputs: { ...plain, ...marks, clauses: again('make;'), words: again('make logo ') },
    bytes: 64 * kb,
    read: text => {
      const told = `make any logo ${text}`
      const listing = { url: `https://a.example/${told}`, name: told, description: told, tags: [told] }
      return new MarketIndex([{ ...listing, parameters: [told] }]).find('make a logo')
    },
  },
  'a NOTAM': {
    ...here,
    inputs: { ...plain, closed: again('RWY ALL CLSD TO '), days: again('MON - TUE, ') },
    bytes: 64 * kb,
    read: text => [scopeOf(text), hoursOf(text), periodOf(text)],
  },
  'an entry of the SEC': {
    ...here,
    inputs: { ...plain, dashes: again(' - '), numbers: again(' (1) (') },
    bytes: 256 * kb,
    read: text => entryOf(text, text, text),
  },
  'the index of a filing': { ...here, inputs: pages, bytes: 1 * mb, read: text => releaseIn(text, '/a') },
  'the list of a company': {
    inputs: jsons,
    bytes: 1 * mb,
    read: text => readSubmissions(Buffer.from(text), 'it', '2026-01-01T00:00:00.000Z'),
  },
  'the name of a token': {
    ...here,
    inputs: { ...plain, ...marks },
    bytes: 20_000,
    read: text => likeness(cleaned(text).text ?? ''),
  },
  'the error of a node': { ...here, inputs: plain, bytes: 1 * mb, read: text => isTooMuch(new Error(text)) },
  'the reply of a facilitator': {
    ...here,
    inputs: {
      ...jsons,
      ...Object.fromEntries(
        Object.entries(plain).map(([name, input]) => [
          name,
          (n: number) =>
            `{"success":false,"isValid":false,"errorReason":${quoted(input(n))},"invalidReason":${quoted(input(n))}}`,
        ]),
      ),
    },
    bytes: 256 * kb,
    read: text => [readVerified({ status: 200, text }, settled), readSettled({ status: 200, text }, settled)],
  },
  'a record of the log': {
    inputs: jsons,
    bytes: 256 * kb,
    shortBytes: 64 * kb,
    // All datasets in a row: what is left of each for the collector of garbage makes the last ones slower.
    leastMs: 1_000,
    read: text => {
      for (const dataset of datasets) eventsIn(dataset, text)
    },
  },
  'records of Kafka': {
    inputs: batches,
    bytes: 1 * mb,
    read: text => recordsIn(Buffer.from(text, 'latin1')),
  },
  'a rendered page, packed': {
    inputs: jsons,
    bytes: 1 * mb,
    read: text => {
      const size = Buffer.alloc(4)
      size.writeUInt32BE(Buffer.byteLength(text))
      return unpacked(zstdCompressSync(Buffer.concat([size, Buffer.from(text)])))
    },
  },
  'a line of the log of the process': {
    ...here,
    inputs: { ...plain, addresses: again('a://'), users: again('a://b@') },
    bytes: 256 * kb,
    read: hostsOnly,
  },
  'the message of an error': {
    ...here,
    inputs: plain,
    bytes: 64 * kb,
    read: text => errorBody('invalid_request', `The field "${text}"`),
  },
}
