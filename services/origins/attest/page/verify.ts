/** Checks an attestation against public keys alone. It looks nothing up. */
import { z } from 'zod'
import { attestationFields } from '../../../../pipelines/domains/attestation/attestation.ts'
import { attestations } from '../../../../pipelines/domains/attestation/attestor.ts'
import type { AttestationVerdict } from '../../../../pipelines/domains/attestation/verification.ts'
import { Failure } from '../../../offer/errors.ts'
import { defineFree, type Tools } from '../../../offer/operation.ts'
import { example } from './example.ts'

const anything = z.unknown().optional()
const fields = Object.fromEntries(
  [...Object.keys(attestationFields), 'left_out', 'receipt'].map(name => [name, anything]),
)

export const attestVerify = defineFree({
  id: 'attestVerify',
  path: '/attest/verify',
  tool: 'verify_attestation',
  inBrief: 'Checks every signature and proof of an attestation of attest_page.',
  method: 'POST',
  perMinute: 120,
  maxBodyBytes: 2 << 20,
  title: 'Attestation verified',
  about:
    'Checks an attestation line by line: hash, signature, key, time-stamps, log, and the evidence that is sent along. It reads nothing but what it is sent and our public keys.',
  tags: ['attestation', 'evidence', 'web'],
  request: z.strictObject({
    attestation: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('The answer of /attest, whole or without evidence'),
    ...fields,
  }),
  response: z.strictObject({
    valid: z.boolean().describe('No check has failed'),
    checks: z.array(
      z.strictObject({
        name: z.string(),
        ok: z.boolean().nullable().describe('null: it was not there to be checked'),
        detail: z.string(),
      }),
    ),
    signer: z.string().nullable(),
    signed_at: z.string().nullable().describe('When the page was observed'),
    reason: z.string().nullable().describe('The first check that failed'),
  }),
  refusals: {
    not_an_attestation: { status: 400, about: 'It has no statement and no signature' },
    signer_unconfigured: { status: 503, about: 'This deployment has no keys to verify with' },
  },
  example: {
    request: { attestation: example.response as Record<string, unknown> },
    response: {
      valid: true,
      checks: [{ name: 'statement_sha256', ok: true, detail: 'the hash of the canonical statement' }],
      signer: example.response.signature.signer,
      signed_at: example.response.statement.observed_at,
      reason: null,
    },
  },
  answer: (question, tools, refuse) => judged(JSON.stringify(question), tools, refuse),
  answerUnread: (text, tools, refuse) => judged(text, tools, refuse),
})

async function judged(
  text: string,
  { use }: Tools,
  refuse: (code: 'not_an_attestation' | 'signer_unconfigured', message: string) => never,
): Promise<AttestationVerdict> {
  const attesting = use(attestations)
  if (!attesting) return refuse('signer_unconfigured', 'This deployment has no keys to verify with')
  const found = await attesting.judge(text)
  if ('unfit' in found) throw new Failure('invalid_request', found.unfit)
  if ('none' in found) return refuse('not_an_attestation', found.none)
  return found.verdict
}
