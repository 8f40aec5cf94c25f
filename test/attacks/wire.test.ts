/** A stranger on a bare socket: bytes with two possible readings, and connections that never end. */
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registry } from '../../pipelines/rails/metrics.ts'
import { openSelling, type Selling } from '../services/query/selling.ts'
import { saidByFile } from '../services/sell/said.ts'
import { echo, header, shout, signed } from '../services/till/paying.ts'

let shop: Selling
const ends: (() => Promise<void> | void)[] = []
beforeAll(async () => {
  const { operations, find, end } = await saidByFile()
  ends.push(end)
  shop = await openSelling({ operations: [echo, shout, ...operations], find }, end => ends.unshift(end))
})
afterAll(async () => {
  for (const end of ends) await end()
})

interface Answer {
  status: number
  head: string
  body: string
}

/** Reads everything until the server closes. The last request asks it to close, if the server ever reads it as a request. */
async function heard(bytes: string | Buffer, { halfClose = false } = {}): Promise<Answer[]> {
  const socket = connect({ port: shop.port, host: '127.0.0.1', allowHalfOpen: true })
  let text = ''
  socket
    .setEncoding('latin1')
    .on('data', chunk => (text += chunk))
    .on('error', () => {})
  socket.write(bytes)
  if (halfClose) socket.end()
  await new Promise(resolve => socket.once('close', resolve).once('end', () => socket.destroy()))
  return answersIn(text)
}

function answersIn(text: string): Answer[] {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return []
  const head = text.slice(0, end)
  // Node answers before there is a request. Its answers have no body.
  const isOfNode = /\r\ntransfer-encoding: chunked/i.test(head)
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
  const status = Number(head.split(' ')[1])
  const body = Buffer.from(text.slice(end + 4, end + 4 + length), 'latin1').toString()
  return [{ status, head, body }, ...answersIn(isOfNode ? '' : text.slice(end + 4 + length))]
}

const last = 'GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
const lines = (...all: string[]) => `${all.join('\r\n')}\r\n`
const payingAt = async (path: string, more: string[] = [], change = {}) =>
  lines(
    `POST ${path} HTTP/1.1`,
    'Host: x',
    'Content-Type: application/json',
    `PAYMENT-SIGNATURE: ${header(await signed(change))}`,
    ...more,
  )
const sold = () => shop.facilitator.moved.size

/** Counts the sales while `work` runs. */
async function soldBy<T>(work: () => Promise<T>): Promise<[T, number]> {
  const before = sold()
  const result = await work()
  return [result, sold() - before]
}

/** The number of calls that failed by our fault. Other tests of the process may have caused some. */
const faults = async () =>
  (await registry.getSingleMetricAsString('farebox_calls_total'))
    .split('\n')
    .filter(line => line.includes('status="500"'))
    .join()

describe.each([
  ['an operation of the code', '/echo'],
  ['an operation of a file', '/said'],
])('at %s', (_, path) => {
  const paying = (more: string[] = [], at = path) => payingAt(at, more)

  describe('a request that can be read in two ways is refused, and the socket is closed behind it', () => {
    const hidden = lines('POST /shout HTTP/1.1', 'Host: x', 'Content-Length: 2', '', '{}')
    it.each<[string, string[], string]>([
      [
        'Content-Length and Transfer-Encoding',
        ['Content-Length: 4', 'Transfer-Encoding: chunked'],
        `0\r\n\r\n${hidden}`,
      ],
      [
        'Transfer-Encoding and Content-Length',
        ['Transfer-Encoding: chunked', 'Content-Length: 4'],
        `0\r\n\r\n${hidden}`,
      ],
      ['two lengths', ['Content-Length: 2', 'Content-Length: 200'], `{}${hidden}`],
      ['two lengths in one line', ['Content-Length: 2, 200'], `{}${hidden}`],
      ['a length with a sign', ['Content-Length: +2'], `{}${hidden}`],
      ['a length in hex', ['Content-Length: 0x2'], `{}${hidden}`],
      ['a length beyond all numbers', ['Content-Length: 99999999999999999999999'], `{}${hidden}`],
      ['a coding that nobody knows', ['Transfer-Encoding: xchunked'], `2\r\n{}\r\n0\r\n\r\n${hidden}`],
      ['chunked, and not last', ['Transfer-Encoding: chunked, identity'], `2\r\n{}\r\n0\r\n\r\n${hidden}`],
      ['a blank before the colon', ['Transfer-Encoding : chunked'], `2\r\n{}\r\n0\r\n\r\n${hidden}`],
      ['a folded line', ['Transfer-Encoding:', ' chunked'], `2\r\n{}\r\n0\r\n\r\n${hidden}`],
      ['a line feed alone', ['X: y\nTransfer-Encoding: chunked'], `2\r\n{}\r\n0\r\n\r\n${hidden}`],
      ['a zero byte', ['X: y\0z', 'Content-Length: 2'], `{}${hidden}`],
      [
        'a chunk that is larger than all numbers',
        ['Transfer-Encoding: chunked'],
        `FFFFFFFFFFFFFFFFFF\r\n{}\r\n0\r\n\r\n${hidden}`,
      ],
      ['a chunk below nothing', ['Transfer-Encoding: chunked'], `-2\r\n{}\r\n0\r\n\r\n${hidden}`],
      ['a chunk that ends elsewhere', ['Transfer-Encoding: chunked'], `2\r\n{}xx0\r\n\r\n${hidden}`],
      ['a chunk ended by a line feed alone', ['Transfer-Encoding: chunked'], `2\n{}\n0\n\n${hidden}`],
    ])('%s', async (_, headers, body) => {
      const bytes = `${await paying(headers)}\r\n${body}${last}`
      const [answers, sales] = await soldBy(() => heard(bytes))
      expect(answers.map(({ status }) => status)).toEqual([400])
      expect(JSON.parse(answers[0]?.body ?? '')).toMatchObject({ error: 'invalid_request', charged: null })
      expect(answers[0]?.head).toMatch(/connection: close/i)
      expect(sales).toBe(0)
    })
  })

  describe('payments on the wire', () => {
    it('two in one request buy nothing, and neither is spent', async () => {
      const [first, second] = [header(await signed()), header(await signed())]
      const bytes = lines(
        `POST ${path} HTTP/1.1`,
        'Host: x',
        'Content-Length: 0',
        `PAYMENT-SIGNATURE: ${first}`,
        `PAYMENT-SIGNATURE: ${second}`,
      )
      const [answers, sales] = await soldBy(() => heard(`${bytes}\r\n${last}`))
      expect(answers.map(({ status }) => status)).toEqual([400, 404])
      expect(sales).toBe(0)
    })

    it('in a trailer is no payment', async () => {
      const bytes = lines(
        `POST ${path} HTTP/1.1`,
        'Host: x',
        'Transfer-Encoding: chunked',
        'Trailer: PAYMENT-SIGNATURE',
      )
      const body = `2\r\n{}\r\n0\r\nPAYMENT-SIGNATURE: ${header(await signed())}\r\n\r\n`
      const [answers, sales] = await soldBy(() => heard(`${bytes}\r\n${body}${last}`))
      expect(answers[0]?.status).toBe(402)
      expect(sales).toBe(0)
    })

    it('in one segment are answered in order, each by its own answer', async () => {
      const body = (say: string) => {
        const text = JSON.stringify({ say })
        return [`Content-Length: ${text.length}`, '', text]
      }
      const requests = [
        (await paying(body('first'))).slice(0, -2),
        lines('POST /shout HTTP/1.1', 'Host: x', 'Content-Length: 0', ''),
        (await paying(body('second'), '/shout')).slice(0, -2),
        last,
      ]
      const [answers, sales] = await soldBy(() => heard(requests.join('')))
      expect(answers.map(({ status }) => status)).toEqual([200, 402, 200, 404])
      expect(answers.flatMap(({ body }) => /^\{"(?:said|answer)":"(\w+)"/.exec(body)?.[1] ?? [])).toEqual([
        'first',
        'second',
      ])
      expect(sales).toBe(2)
    })

    it('one, pipelined fifty times, is one purchase', async () => {
      const request = await paying(['Content-Length: 2', '', '{}'])
      const [answers, sales] = await soldBy(() => heard(request.slice(0, -2).repeat(50) + last))
      const statuses = answers.map(({ status }) => status)
      expect(statuses).toHaveLength(51)
      const bought = answers.flatMap(({ body }) => /"payment_tx":"\w+"/.exec(body)?.[0] ?? [])
      expect(new Set(bought).size).toBe(1)
      expect(statuses.filter(status => ![200, 409, 503, 404].includes(status))).toEqual([])
      expect(sales).toBe(1)
    })

    it('of a caller who shuts his half of the connection is answered when it is presented again', async () => {
      const payment = await signed()
      const request = lines(`POST ${path} HTTP/1.1`, 'Host: x', `PAYMENT-SIGNATURE: ${header(payment)}`)
      const [again, sales] = await soldBy(async () => {
        await heard(`${request}\r\n`, { halfClose: true })
        return shop.pay(payment, { path })
      })
      expect([again.status, sales]).toEqual([200, 1])
    })

    it.each([
      'If-None-Match: *',
      'If-Match: "x"',
      'If-Modified-Since: Wed, 01 Jan 2098 00:00:00 GMT',
      'Range: bytes=0-0',
      'Prefer: return=minimal',
      'Accept: text/html',
      'Accept-Encoding: identity;q=0, *;q=0',
      'TE: trailers',
      'Upgrade: h2c',
      'Upgrade: websocket',
      'Connection: payment-signature',
      'X-HTTP-Method-Override: GET',
      'X-Original-URL: /',
      'Content-Language: xx',
    ])('is answered whole, whatever is asked of the answer: %s', async more => {
      const request = await paying([more, 'Content-Length: 2', '', '{}'])
      const [answers, sales] = await soldBy(() => heard(request.slice(0, -2) + last))
      expect(answers[0]).toMatchObject({
        status: 200,
        body: expect.stringMatching(/"(?:said|answer)":"hello".*"charged":true/),
      })
      expect(answers[0]?.head).toMatch(/cache-control: private, no-store/i)
      expect(sales).toBe(1)
    })

    it.each([
      ['HTTP/1.1 without a host', lines(`POST ${path} HTTP/1.1`, 'Content-Length: 0', '')],
      ['two hosts', lines(`POST ${path} HTTP/1.1`, 'Host: a', 'Host: b', 'Content-Length: 0', '')],
      ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
      ['HTTP/0.9', `POST ${path}\r\n`],
      ['TLS on the plain port', Buffer.from('16030100c8010000c40303', 'hex')],
      ['a method that nobody knows', lines(`PAY ${path} HTTP/1.1`, 'Host: x', '')],
      ['a tunnel', lines('CONNECT 127.0.0.1:22 HTTP/1.1', 'Host: 127.0.0.1:22', '')],
      ['a path with a line break', lines(`POST ${path}\u000bX: y HTTP/1.1`, 'Host: x', '')],
      ['a version beyond all', lines(`POST ${path} HTTP/9.9`, 'Host: x', '')],
    ])('%s is refused, without a word about our inside', async (_, bytes) => {
      const [answers, sales] = await soldBy(() => heard(bytes, { halfClose: true }))
      for (const { status, body } of answers) {
        expect(status).toBeGreaterThanOrEqual(400)
        expect(status).toBeLessThan(500)
        expect(body).not.toMatch(/node_modules|\.ts|Error:/)
      }
      expect(sales).toBe(0)
    })
  })

  describe('a body', () => {
    it.each([
      ['packed', ['Content-Encoding: gzip'], Buffer.from('1f8b0800000000000003', 'hex').toString('latin1')],
      ['in UTF-16', ['Content-Type: application/json; charset=utf-16'], '{\0}\0'],
      ['of a form', ['Content-Type: application/x-www-form-urlencoded'], 'say=hello'],
      ['in parts', ['Content-Type: multipart/form-data; boundary=x'], '--x--'],
      ['nested thirty thousand deep', [], `{"say":${'['.repeat(30_000)}${']'.repeat(30_000)}}`],
      ['of a number with fifty thousand digits', [], `{"say":${'9'.repeat(50_000)}}`],
      [
        'with the name of a prototype',
        [],
        '{"__proto__":{"say":"x"},"constructor":{"prototype":{"say":"x"}}}',
      ],
    ])('%s costs nothing and breaks nothing', async (_, headers, body) => {
      const type = headers.some(each => each.startsWith('Content-Type'))
        ? []
        : ['Content-Type: application/json']
      const bytes = lines(
        `POST ${path} HTTP/1.1`,
        'Host: x',
        `PAYMENT-SIGNATURE: ${header(await signed())}`,
        ...type,
        ...headers,
        `Content-Length: ${Buffer.byteLength(body, 'latin1')}`,
      )
      const [answers, sales] = await soldBy(() => heard(Buffer.from(`${bytes}\r\n${body}${last}`, 'latin1')))
      expect([400, 413, 415]).toContain(answers[0]?.status)
      expect(JSON.parse(answers[0]?.body ?? '')).toMatchObject({ charged: false })
      expect(sales).toBe(0)
    })

    it('that is cut off in the middle is no fault of ours', async () => {
      const before = await faults()
      for (const end of ['', '5\r\n{"say', 'zz\r\n'])
        await heard(`${await paying(['Transfer-Encoding: chunked'])}\r\n${end}`, { halfClose: true })
      expect(await faults()).toBe(before)
    })
  })
})

afterAll(() => expect(shop.logged.filter(line => line.includes('our fault'))).toEqual([]))

it('three hundred connections with unfinished requests hold up nobody', async () => {
  const request = await payingAt('/echo', ['Content-Length: 2'])
  const hanging = Array.from({ length: 300 }, (_, i) => {
    const socket = connect(shop.port, '127.0.0.1').on('error', () => {})
    // A third stops in the request line, a third in the headers, a third in the body.
    socket.write(i % 3 === 0 ? 'POST /ec' : i % 3 === 1 ? request : `${request}\r\n{`)
    return socket
  })
  try {
    const [response, sales] = await soldBy(() => shop.pay())
    expect([response.status, sales]).toEqual([200, 1])
    // The server's own time-outs end unfinished requests.
    const { requestTimeout, headersTimeout } = shop.app.server
    expect([requestTimeout, headersTimeout <= 60_000]).toEqual([30_000, true])
  } finally {
    for (const socket of hanging) socket.destroy()
  }
})

it('a name in X-Forwarded-For, Forwarded or the like counts for nothing, if no proxy is trusted', async () => {
  const limited = await openSelling({ perMinute: 3 })
  const names = [
    'x-forwarded-for',
    'forwarded',
    'x-real-ip',
    'cf-connecting-ip',
    'true-client-ip',
    'x-client-ip',
  ]
  const statuses = []
  for (const [i, name] of names.entries())
    statuses.push((await limited.ask({ headers: { [name]: `203.0.113.${i}` } })).status)
  expect(statuses).toEqual([402, 402, 402, 429, 429, 429])
})
