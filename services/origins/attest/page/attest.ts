/** Visits a page and attests, with proofs, what it showed. */
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { type Attestation, attestationFields } from '../../../../pipelines/domains/attestation/attestation.ts'
import {
  type Attesting,
  attestations,
  NoTimeStamp,
} from '../../../../pipelines/domains/attestation/attestor.ts'
import { LedgerAway } from '../../../../pipelines/domains/attestation/ledger.ts'
import { verify } from '../../../../pipelines/domains/attestation/verification.ts'
import { UpstreamFailed } from '../../../../pipelines/rails/failures.ts'
import { Failure } from '../../../offer/errors.ts'
import { defineOperation } from '../../../offer/operation.ts'
import { pageOf, pageRefusals } from '../../../offer/pages.ts'
import { example } from './example.ts'
import { evidenceOf, included, statementOf, witnessed } from './witness.ts'

/** The whole call may take 25 s: time-stamp and log may take 5 s each. */
const visitMs = 15_000
/** A larger answer is not sold. */
const mostBytes = 900_000
/** Base64 adds a third. */
const mostPictureBytes = 400_000

export const attest = defineOperation({
  id: 'attestPage',
  path: '/attest',
  tool: 'attest_page',
  price: '0.05',
  inBrief: 'Proves what a page shows now: hashes, server, TLS, time; signed, time-stamped, in a public log.',
  costs: 'costly',
  sold: 'Sold with the whole statement; evidence that does not fit is named in `left_out`.',
  ofModels: { include: [] },
  title: 'Page attested',
  about:
    'Visits a public page now, with a browser, and attests what it showed: text, picture and HTML by hash, address of the server, TLS certificate, time. Signed (EIP-712), time-stamped (RFC 3161), entered into a public log. Anyone can verify it without us. Without enough time stamps, or if the page cannot be shown, it is free.',
  tags: ['attestation', 'evidence', 'web'],
  request: z.strictObject({
    url: z
      .string()
      .min(1, 'a URL')
      .max(2048, 'at most 2048 characters')
      .describe('A public http or https URL'),
    include: z
      .array(z.enum(included))
      .max(4)
      .default(['text', 'screenshot', 'certificates'])
      .describe('The evidence to send along. The statement always has the hashes of all of it'),
    any_status: z.boolean().default(false).describe('Attest an error page of the site too, such as a 404'),
  }),
  response: z.strictObject({
    ...attestationFields,
    left_out: z.array(z.enum(included)).describe('Evidence that was asked for and did not fit'),
  }),
  refusals: {
    ...pageRefusals,
    evidence_too_large: {
      status: 422,
      about: 'The evidence does not fit into an answer; leave some out with include',
    },
    timestamp_unavailable: { status: 502, about: 'Too few time-stamp authorities have answered' },
    signer_unconfigured: { status: 503, about: 'This deployment has no keys to attest with' },
  },
  example,
  async answer({ url, include, any_status }, tools, refuse) {
    const attesting = tools.use(attestations)
    if (!attesting) return refuse('signer_unconfigured', 'This deployment has no keys to attest with')
    const visit = pageOf(
      {
        url,
        render: 'always',
        maxAgeMs: 0,
        own: true,
        anyStatus: any_status,
        picture: true,
        mostPictureBytes,
        certificates: true,
      },
      tools,
      refuse,
    )
    const seen = witnessed(await within(visit, visitMs))
    const { evidence, left_out } = evidenceOf(seen, include, mostBytes)
    if (!evidence)
      return refuse('evidence_too_large', `The evidence is too large: leave out ${left_out.join(' or ')}`)
    const statement = statementOf(seen, attesting.observer)
    try {
      const attested = { statement, ...(await attesting.attest(statement)), evidence }
      return { ...provable(attested, attesting), left_out }
    } catch (error) {
      if (error instanceof NoTimeStamp)
        return refuse('timestamp_unavailable', 'Too few time-stamp authorities have answered')
      if (error instanceof LedgerAway)
        throw new Failure('log_unavailable', 'The log of attestations takes no entry now', {
          'retry-after': '5',
        })
      throw error
    }
  },
})

/** Throws if /attest/verify would reject the attestation. Such an attestation is not sold, and the fault is ours. */
function provable<A extends Attestation>(attested: A, { keys, verifiers: logs, trust }: Attesting): A {
  const { valid, reason } = verify(attested, { keys, logs, trust })
  if (!valid) throw new Error(`the attestation cannot be verified: ${reason}`)
  return attested
}

async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  const over = new AbortController()
  const late = sleep(ms, undefined, { signal: over.signal }).then(() => {
    throw new UpstreamFailed(`a page takes longer than ${ms} ms`)
  })
  late.catch(() => {})
  return Promise.race([work, late]).finally(() => over.abort())
}
