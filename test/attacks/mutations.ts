/** Makes requests that no client sends: a good one, spoiled in one to three places. */
import type { Signed } from '../services/till/paying.ts'

export type Draw = (below: number) => number

const one = <T>(draw: Draw, from: readonly T[]): T => from[draw(from.length)] as T

const usually = (draw: Draw, good: string, from: readonly string[]): string =>
  draw(6) > 0 ? good : one(draw, from)

const oddities: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  2,
  1.5,
  1e300,
  '',
  ' ',
  '0',
  '2000',
  '-2000',
  '02000',
  '2000.0',
  '0x7d0',
  '٢٠٠٠',
  '\u0000',
  '\u202e',
  '\ud800',
  'a\r\nb: c',
  '<script>',
  '__proto__',
  'constructor',
  '9'.repeat(400),
  'A'.repeat(3000),
  [],
  [[]],
  {},
  { length: 1e9 },
  { toString: 'x' },
  JSON.parse('{"__proto__":{"a":1}}'),
  '0x',
  `0x${'00'.repeat(20)}`,
  `0x${'ff'.repeat(32)}`,
  `0x${'ff'.repeat(65)}`,
  `0x${'ab'.repeat(1200)}`,
  'eip155:1',
  'eip155:8453',
  'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
]

/** Adds something odd to a value, or removes a part of it. */
export function spoil(draw: Draw, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || draw(8) === 0) return one(draw, oddities)
  const copy = structuredClone(value) as Record<string, unknown>
  const keys = Object.keys(copy)
  const key = keys.length > 0 ? one(draw, keys) : 'x'
  const how = draw(8)
  if (how === 0) delete copy[key]
  else if (how === 1)
    copy[one(draw, ['__proto__', 'size', 'toJSON', '', key.toUpperCase()])] = one(draw, oddities)
  else copy[key] = spoil(draw, copy[key])
  return copy
}

export const nested = (depth: number, open = '[', shut = ']'): string =>
  open.repeat(depth) + shut.repeat(depth)

function spoiledText(draw: Draw, text: string): string {
  const at = draw(text.length + 1)
  const junk = one(draw, ['', '\u0000', '=', '%', '{', '"', 'é', '\\u0000', '//', text.slice(0, draw(400))])
  return text.slice(0, at) + junk + text.slice(at + draw(20))
}

const base64 = (text: string) => Buffer.from(text).toString('base64')

/** The value of PAYMENT-SIGNATURE, as latin1 text without line breaks. */
export function paymentHeader(draw: Draw, payment: unknown): string {
  switch (draw(12)) {
    case 0:
      return base64(JSON.stringify(payment))
    case 1:
      return spoiledText(draw, base64(JSON.stringify(payment)))
    case 2:
      return base64(spoiledText(draw, JSON.stringify(payment)))
    case 3:
      return base64(JSON.stringify(one(draw, oddities)))
    case 4:
      return base64(nested(draw(2500)))
    case 5:
      return base64(nested(draw(900), '{"a":', '}').replace('}', '1}'))
    case 6:
      return one(draw, ['', '=', '====', '***', 'e30', 'e30=', 'bnVsbA==', 'W10=', 'A'.repeat(draw(20_000))])
    default: {
      let spoiled = payment
      for (let i = 0; i <= draw(3); i++) spoiled = spoil(draw, spoiled)
      return base64(JSON.stringify(spoiled) ?? '')
    }
  }
}

function body(draw: Draw): string {
  switch (draw(10)) {
    case 0:
      return ''
    case 1:
      return nested(draw(30_000))
    case 2:
      return `{"say":${'{"a":'.repeat(draw(5000))}`
    case 3:
      return JSON.stringify({ say: 'x'.repeat(draw(90_000)) })
    case 4:
      return spoiledText(draw, '{"say":"hello"}')
    case 5:
      return one(draw, [
        'null',
        '[]',
        '1',
        '"say"',
        '{"__proto__":{"say":"x"}}',
        '{"constructor":{}}',
        '{"say":"a","say":"b"}',
      ])
    case 6:
      return JSON.stringify({ say: one(draw, oddities) })
    default:
      return '{"say":"hello"}'
  }
}

const paths =
  '/echo /shout /echo?x=1 //echo /echo/ /%65cho /ECHO /echo%00 /echo;a /..%2fecho /% /echo#x * /vitals/../echo'
    .split(' ')
    .concat('http://elsewhere/echo')
const types = [
  'application/json; charset=utf-16',
  'text/plain',
  'multipart/form-data; boundary=x',
  '',
  'a/b/c',
  'json',
]
const methods = 'GET HEAD PUT DELETE TRACE PATCH PROPFIND'.split(' ')
const others =
  `Expect: 100-continue|Expect: miracles|Transfer-Encoding: gzip|Connection: upgrade\r\nUpgrade: websocket
|X-Forwarded-For: 1.2.3.4, \u00ff|Content-Length: 5|Accept: */*|Cookie: a=b|X-Payment: e30=|Content-Encoding: gzip
|Range: bytes=0-1|X-Long: ${'x'.repeat(12_000)}|Bad Header: x|: x`
    .replaceAll('\n|', '|')
    .split('|')

export interface Request {
  bytes: Buffer
  hasBody: boolean
  /** The end of the request is ambiguous, so the connection is useless afterwards. */
  unframed: boolean
}

/** `payment` is acceptable to the till unchanged. `from` is the address that a proxy names. `sold` are the paths that are sold. */
export function request(
  draw: Draw,
  payment: Signed | object,
  { from, sold }: { from: string; sold: readonly string[] },
): Request {
  const method = usually(draw, 'POST', methods)
  const text = body(draw)
  const headers = ['Host: x', `X-Forwarded-For: ${from}`]
  if (draw(10) > 0) headers.push(`Content-Type: ${usually(draw, 'application/json', types)}`)
  if (draw(12) > 0) headers.push(`PAYMENT-SIGNATURE: ${paymentHeader(draw, payment)}`)
  if (draw(4) === 0)
    headers.push(
      `Idempotency-Key: ${one(draw, ['short', 'long enough', 'long-enough', 'k'.repeat(200), '\u00e9'.repeat(9), String(draw(1e9)).padStart(9, '0')])}`,
    )
  const odd = draw(6) === 0 ? one(draw, others) : undefined
  if (odd) headers.push(odd)
  const chunked = odd === undefined && draw(15) === 0
  const bytes = Buffer.byteLength(text)
  headers.push(chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${bytes}`)
  const sent = chunked
    ? `${one(draw, [bytes.toString(16), bytes.toString(16), 'zz', '-1'])}\r\n${text}\r\n0\r\n\r\n`
    : text
  const head = Buffer.from(
    `${method} ${usually(draw, one(draw, sold), paths)} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`,
    'latin1',
  )
  return {
    bytes: Buffer.concat([head, Buffer.from(sent)]),
    hasBody: method !== 'HEAD',
    unframed: odd !== undefined || chunked,
  }
}
