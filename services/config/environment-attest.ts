/** The variables of attestations. */
import { z } from 'zod'
import { type FormerKey, readFormerKey } from '../../pipelines/domains/attestation/keys.ts'

const keyForm = /^0x[0-9a-fA-F]{64}$/
const listIn = (text: string): string[] => text.split(',').map(part => part.trim())
const isHttp = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

export const attestVariables = {
  ATTEST_KEY: z
    .string()
    .regex(keyForm, 'a key of 0x and 64 hex digits')
    .optional()
    .describe('signs attestations; without it or the next one nothing is attested'),
  ATTEST_KEY_FILE: z
    .string()
    .min(1, 'a file with a key of 0x and 64 hex digits')
    .optional()
    .describe('a file that holds the key, in place of the one above'),
  ATTEST_KEYS: z
    .string()
    .refine(
      text => listIn(text).every(readFormerKey),
      'a list of <address> <from> <until> [<revoked>], each time as 2026-01-31 or 2026-01-31T09:30:00Z',
    )
    .transform(text => listIn(text).flatMap((part): FormerKey | FormerKey[] => readFormerKey(part) ?? []))
    .default([])
    .describe(
      'addresses that signed before, `<address> <from> <until> [<revoked>]`, separated by commas: [keys](../services/origins/attest/README.md#keys)',
    ),
  ATTEST_LOG_KEY: z
    .string()
    .transform(listIn)
    .refine(
      keys => keys.every(key => keyForm.test(key)),
      'one or more keys of 0x and 64 hex digits, separated by commas',
    )
    .optional()
    .describe(
      'signs the log of attestations (Ed25519); to change it, put the new key in front of the old one; required with `ATTEST_KEY`',
    ),
  TSA_URLS: z
    .string()
    .transform(listIn)
    .refine(urls => urls.every(isHttp), 'one or more addresses, as http:// or https://, separated by commas')
    .default([])
    .describe('time-stamp authorities (RFC 3161), separated by commas; no time-stamps if unset'),
  TSA_REQUIRED: z
    .string()
    .regex(/^\d$/, 'a number of time-stamps, 0 to 9')
    .transform(Number)
    .optional()
    .describe('how many of them have to answer; 1 if unset'),
  TSA_ROOTS: z
    .string()
    .min(1, 'a file of certificates in PEM')
    .optional()
    .describe('a file of root certificates of authorities, in PEM, beside those of Mozilla'),
}
