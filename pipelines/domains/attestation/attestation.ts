/** An attestation: a statement with its proofs. */
import { z } from 'zod'
import { Instant, Sha256 } from '../../../schemas/values/values.ts'
import { domain, scheme, types } from './signature.ts'
import { mostTokenBytes } from './stamps/token.ts'
import { Statement } from './statement.ts'
import { exactBase64, mostNoteChars } from './tlog/note.ts'

const Base64 = z.string().refine(text => exactBase64(text) !== undefined, 'base64 in its one form')
const text = z.string()

export const Signature = z.strictObject({
  scheme: z.literal(scheme),
  domain: z.strictObject({ name: text, version: text, chainId: z.int() }),
  types: z.record(text, z.array(z.strictObject({ name: text, type: text }))),
  signer: z.string().regex(/^0x[0-9a-f]{40}$/, 'an address in lower case'),
  key_id: text,
  value: z.string().regex(/^0x[0-9a-f]{130}$/, '65 bytes in hex'),
})

export const TimeStamp = z.strictObject({
  authority: text.describe('The name in the certificate of the authority'),
  token_base64: Base64.max(Math.ceil(mostTokenBytes / 3) * 4).describe('RFC 3161, over statement_sha256'),
  time: Instant,
  policy: text,
})

export const LogProof = z.strictObject({
  origin: text.describe('The name of the log'),
  index: z.int().min(0),
  checkpoint: text.max(mostNoteChars).describe('A signed note with size and root of the log'),
  inclusion: z.array(Sha256).max(64).describe('The hashes beside the path from the entry to the root'),
})

export const Evidence = z.strictObject({
  text: text.optional(),
  screenshot_base64: Base64.optional(),
  html_base64: Base64.optional(),
  certificates_base64: z.array(Base64).optional(),
})

/** The authority's clock and ours may differ by at most this much. */
export const mostApartMs = 5 * 60_000

/** The reason for a missing time-stamp. */
export const noAuthority = 'no time-stamp authority is configured'
export const noneAnswered = 'no time-stamp authority has answered, and none is required'

export const attestationFields = {
  statement: Statement,
  statement_sha256: Sha256.describe('Of the canonical JSON (RFC 8785) of the statement'),
  signature: Signature,
  timestamps: z.array(TimeStamp).max(8),
  no_timestamp_because: z.enum([noAuthority, noneAnswered]).nullable(),
  log: LogProof,
  evidence: Evidence.describe('Each part can be left out, and the rest still holds'),
}

/** The checked parts. The receipt is checked by the till. */
export const Attestation = z.strictObject({
  ...attestationFields,
  evidence: Evidence.optional(),
  receipt: z.unknown().optional(),
})

export type Attestation = z.output<typeof Attestation>
export type Evidence = z.output<typeof Evidence>
export type TimeStamp = z.output<typeof TimeStamp>

/** The parts of a signature that are the same in every attestation. */
export const signatureForm = { scheme, domain, types } as const
