/** The variables of attestations: the keys for statements and for the log, and the time-stamp authorities. */
import { z } from 'zod'
import manifest from '../../../package.json' with { type: 'json' }
import {
  contentOf,
  httpUrls,
  isKey,
  key as keyKind,
  keys as keysKind,
  keyWords,
  text,
} from '../../rails/environment/kinds.ts'
import { ConfigError, defineVariables, type Environment } from '../../rails/environment/variables.ts'
import { type FormerKey, readFormerKey } from './keys.ts'
import type { AttestationLedgerOptions } from './ledger.ts'
import { areCertificates } from './stamps/trust.ts'
import { type NoteSigner, noteSigner } from './tlog/note.ts'

export interface AttestKeys {
  /** 32 bytes in hex. */
  key: string
  former: readonly FormerKey[]
  /** The keys of the log: the current one, and those before it. */
  verifiers: AttestationLedgerOptions['verifiers']
  authorities: readonly string[]
  /** The number of authorities that must answer. */
  required: number
  /** PEM of roots of authorities, in addition to Mozilla's. */
  roots?: string | undefined
  /** The program and its release. */
  observer: string
}

const partsOf = (list: string): string[] => list.split(',').map(part => part.trim())

/** The keys for the heads of the log: a process without the query role needs nothing else. */
const ofLog = {
  ATTEST_LOG_KEY: keysKind
    .optional()
    .describe(
      'signs the log of attestations (Ed25519); to change it, put the new key in front of the old one; required with `ATTEST_KEY`',
    ),
}

const shape = {
  ATTEST_KEY: keyKind
    .optional()
    .describe('signs attestations; without it or the next one nothing is attested'),
  ATTEST_KEY_FILE: text(`a file with ${keyWords}`)
    .optional()
    .describe('a file that holds the key, in place of the one above'),
  ATTEST_KEYS: z
    .string()
    .refine(
      list => partsOf(list).every(readFormerKey),
      'a list of <address> <from> <until> [<revoked>], each time as 2026-01-31 or 2026-01-31T09:30:00Z',
    )
    .transform(list => partsOf(list).flatMap((part): FormerKey | FormerKey[] => readFormerKey(part) ?? []))
    .default([])
    .describe(
      'addresses that signed before, `<address> <from> <until> [<revoked>]`, separated by commas: [keys](../services/origins/attest/README.md#keys)',
    ),
  ...ofLog,
  TSA_URLS: httpUrls('addresses')
    .default([])
    .describe('time-stamp authorities (RFC 3161), separated by commas; no time-stamps if unset'),
  TSA_REQUIRED: z
    .string()
    .regex(/^\d$/, 'a number of time-stamps, 0 to 9')
    .transform(Number)
    .optional()
    .describe('how many of them have to answer; 1 if unset'),
  TSA_ROOTS: text('a file of certificates in PEM')
    .optional()
    .describe('a file of root certificates of authorities, in PEM, beside those of Mozilla'),
}
type Values = z.output<z.ZodObject<typeof shape>>

/** The keys of the log, the newest first. Without keys there are no attestations. */
function logSigners(keys: readonly string[] = [], { addressOf }: Environment): NoteSigner[] {
  // The log keeps the name of its host for ever. Another host begins another log.
  const name = `farebox/${new URL(addressOf('attest')).host}`
  return keys.map(each => noteSigner(name, each))
}

export const attestLogVariables = defineVariables(
  ofLog,
  ({ ATTEST_LOG_KEY: keys }, environment) => logSigners(keys, environment)[0],
)

/** Undefined if there are no keys for attestations. */
export const attestVariables = defineVariables(shape, (values, environment): AttestKeys | undefined => {
  const key = keyOf(values)
  const [first, ...former] = logSigners(values.ATTEST_LOG_KEY, environment)
  if (environment.roles.includes('query') && (key === undefined) !== (first === undefined))
    throw new ConfigError(
      `${key ? 'ATTEST_LOG_KEY' : 'ATTEST_KEY'} is unset; ATTEST_KEY or ATTEST_KEY_FILE should be set together with ATTEST_LOG_KEY`,
    )
  const { TSA_URLS: authorities, TSA_REQUIRED: required = Math.min(1, authorities.length) } = values
  if (required > authorities.length)
    throw new ConfigError(`TSA_REQUIRED is ${required}; TSA_URLS should have as many addresses`)
  const roots = rootsOf(values)
  if (key === undefined || first === undefined) return undefined
  const observer = `farebox/${manifest.version}`
  return {
    key,
    former: values.ATTEST_KEYS,
    verifiers: [first, ...former],
    authorities,
    required,
    roots,
    observer,
  }
})

function keyOf({ ATTEST_KEY, ATTEST_KEY_FILE: file }: Values): string | undefined {
  if (file === undefined) return ATTEST_KEY
  if (ATTEST_KEY) throw new ConfigError('ATTEST_KEY and ATTEST_KEY_FILE are set; it should be one of them')
  const key = contentOf('ATTEST_KEY_FILE', file).trim()
  if (!isKey(key)) throw new ConfigError(`ATTEST_KEY_FILE is ${file}; the file should hold ${keyWords}`)
  return key
}

function rootsOf({ TSA_ROOTS: file }: Values): string | undefined {
  const roots = contentOf('TSA_ROOTS', file)
  if (roots !== undefined && !areCertificates(roots))
    throw new ConfigError(`TSA_ROOTS is ${file}; the file should hold certificates in PEM`)
  return roots
}
