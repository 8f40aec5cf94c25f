/**
 * Our statement about a page: hashes and facts, no content. So the evidence can be removed later and the statement
 * remains.
 */

import canonicalize from 'canonicalize'
import { z } from 'zod'
import { withoutEnd } from '../../../schemas/values/text-end.ts'
import { normalised } from '../../../schemas/values/unicode.ts'
import { Instant, Sha256 } from '../../../schemas/values/values.ts'
import { sha256 } from '../../rails/signing/sha256.ts'

const text = z.string()
const whole = z.int().min(0)

/** Numbers are whole, so that canonical JSON is the same in every language. */
export const Statement = z.strictObject({
  version: z.literal('farebox-attest-1'),
  url: text.describe('As asked for, in its normal form'),
  final_url: text.describe('Where its redirects end'),
  redirects: z.array(z.strictObject({ url: text, status: whole })),
  method: z.literal('GET'),
  status: whole,
  requested_at: Instant.describe('When the first request left'),
  observed_at: Instant.describe('When the page had come to rest'),
  serving_ip: text.describe('The address that was dialled for the final URL'),
  serving_port: whole,
  tls: z
    .strictObject({
      protocol: text,
      cipher: text,
      certificate_sha256: Sha256,
      chain_sha256: z.array(Sha256).describe('Of each certificate that the server showed, its own first'),
    })
    .nullable()
    .describe('null over plain http'),
  html_sha256: Sha256,
  text_sha256: Sha256,
  screenshot_sha256: Sha256,
  title: text,
  text_chars: whole.describe('Of the canonical text, in Unicode code points'),
  viewport: z.literal('1280x800'),
  browser: text,
  user_agent: text,
  observer: text.describe('Who has looked, and with which release'),
})

export type Statement = z.output<typeof Statement>

/** The hash of its canonical JSON (RFC 8785). Throws if a text holds half of a surrogate pair. */
export const hashOf = (statement: object): string => sha256(canonicalize(statement) ?? '')

/**
 * The bytes of a text for hashing: Unicode in form NFC, at most 30 marks on a letter, lines that end with LF and
 * without blanks before it, one LF at the end. Half of a surrogate pair becomes U+FFFD.
 */
export function canonicalText(text: string): string {
  const lines = normalised(text.toWellFormed(), 'NFC')
    .replace(/\r\n?/g, '\n')
    .split('\n')
    .map(line => withoutEnd(line, ' \t'))
  return `${lines.slice(0, lines.findLastIndex(line => line !== '') + 1).join('\n')}\n`
}

/** The length in code points. */
export const lengthOf = (text: string): number => {
  let length = 0
  for (const _ of text) length++
  return length
}
