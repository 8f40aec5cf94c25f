import { expect, it } from 'vitest'
import { jpegSize } from '../../../../pipelines/domains/attestation/jpeg.ts'
import { keyList, readFormerKey, whyNot } from '../../../../pipelines/domains/attestation/keys.ts'
import {
  canonicalText,
  hashOf,
  lengthOf,
  Statement,
} from '../../../../pipelines/domains/attestation/statement.ts'
import { sha256 } from '../../../../pipelines/rails/signing/sha256.ts'
import { example } from '../../../../services/origins/attest/page/example.ts'

it.each([
  ['line ends', 'a\r\nb\rc\nd', 'a\nb\nc\nd\n'],
  ['blanks at the end of a line, and no others', ' a b \t\n\tc  \n', ' a b\n\tc\n'],
  ['lines at the end', 'a\n\n \n', 'a\n'],
  ['nothing', '', '\n'],
  ['composed letters', 'e\u0301', '\u00e9\n'],
  ['half of a pair', 'a\ud800b', 'a\ufffdb\n'],
  ['a separator that is no line end', 'a \u2028b', 'a \u2028b\n'],
])('the canonical text handles %s', (_what, text, canonical) => {
  expect(canonicalText(text)).toBe(canonical)
  expect(canonicalText(canonical)).toBe(canonical)
})

it('counts characters and not halves of pairs', () => {
  expect(lengthOf('a😀\n')).toBe(3)
})

it('hashes the canonical JSON, whatever the order of its fields', () => {
  const { statement } = example.response
  const reversed = Object.fromEntries(Object.entries(statement).reverse())
  expect(hashOf(reversed)).toBe(example.response.statement_sha256)
  // Written by hand from RFC 8785: fields in the order of their code units.
  expect(hashOf({ b: 1, a: 'é\n', aB: null })).toBe(sha256('{"a":"é\\n","aB":null,"b":1}'))
})

it('accepts only whole numbers', () => {
  expect(Statement.safeParse({ ...example.response.statement, status: 200.5 }).success).toBe(false)
  expect(Statement.safeParse({ ...example.response.statement, text_chars: 2 ** 53 }).success).toBe(false)
})

const jpeg = (width: number, height: number) => {
  const bytes = Buffer.from('ffd8ffe000044a46ffc0000b0800000000010111000000ffd9', 'hex')
  bytes.writeUInt16BE(height, 13)
  bytes.writeUInt16BE(width, 15)
  return bytes
}

it('reads the size of a JPEG, but only of a complete one', () => {
  expect(jpegSize(jpeg(1280, 800))).toEqual({ width: 1280, height: 800 })
  expect(jpegSize(jpeg(1280, 800).subarray(0, -1))).toBeUndefined()
  expect(jpegSize(Buffer.from('89504e470d0a1a0a', 'hex'))).toBeUndefined()
})

const [old, older, current] = ['aa', 'bb', 'cc'].map(byte => `0x${byte.repeat(20)}`) as [
  string,
  string,
  string,
]
const former = [`${old} 2026-01-01 2026-06-01`, `${older} 2025-01-01 2026-01-01 2025-07-01T12:00:00Z`].map(
  text => readFormerKey(text) as NonNullable<ReturnType<typeof readFormerKey>>,
)

it('lists the current key first, valid from the end of the last former key', () => {
  const [first, ...others] = keyList(current, former)
  expect(first).toMatchObject({ address: current, valid_from: '2026-06-01T00:00:00.000Z', valid_until: null })
  expect(others.map(({ address }) => address)).toEqual([old, older])
})

it.each([
  ['', 'no address'],
  [`${old} 2026-01-01`, 'no end'],
  [`${old} 2026-06-01 2026-01-01`, 'an end before its beginning'],
  [`${old} 2026-01-01 2026-13-01`, 'a month that does not exist'],
  [`${old} 2026-01-01 2026-06-01 2026-02-01 more`, 'more'],
])('refuses %j as a former key: %s', text => {
  expect(readFormerKey(text)).toBeUndefined()
})

it('says what is wrong with a key at a given time', () => {
  const [key, retired, revoked] = keyList(current, former) as [never, never, never]
  expect(whyNot(key, '2026-06-01T00:00:00.000Z', undefined)).toBeUndefined()
  expect(whyNot(key, '2026-05-31T23:59:59.999Z', undefined)).toContain('from 2026-06-01')
  expect(whyNot(retired, '2026-05-31T23:59:59.999Z', undefined)).toBeUndefined()
  expect(whyNot(retired, '2026-06-01T00:00:00.000Z', undefined)).toContain('until 2026-06-01')
  const before = '2025-03-01T00:00:00.000Z'
  expect(whyNot(revoked, before, undefined)).toContain('was revoked at 2025-07-01T12:00:00.000Z')
  expect(whyNot(revoked, before, '2025-07-01T12:00:00.000Z')).toContain('was revoked')
  expect(whyNot(revoked, before, before)).toBeUndefined()
})
