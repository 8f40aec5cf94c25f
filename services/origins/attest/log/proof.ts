/** The place of an attestation in the log, and its proof against the newest checkpoint. */
import { z } from 'zod'
import { LogProof } from '../../../../pipelines/domains/attestation/attestation.ts'
import { attestations } from '../../../../pipelines/domains/attestation/attestor.ts'
import { Sha256 } from '../../../../schemas/values/values.ts'
import { defineFree } from '../../../offer/operation.ts'

export const attestLogProof = defineFree({
  id: 'attestLogProof',
  path: '/attest/log/proof',
  method: 'GET',
  perMinute: 120,
  title: 'Place of an attestation in the log',
  about: 'The index of an attestation in the log, and its inclusion proof against the newest checkpoint.',
  tags: ['attestation'],
  request: z.strictObject({ sha256: Sha256.describe('statement_sha256 of the attestation') }),
  response: LogProof,
  refusals: {
    not_in_the_log: { status: 422, about: 'No checkpoint has this statement' },
    signer_unconfigured: { status: 503, about: 'This deployment has no log' },
  },
  example: {
    request: { sha256: 'a1'.repeat(32) },
    response: {
      origin: 'farebox/attest.example',
      index: 1,
      checkpoint: `farebox/attest.example\n2\n${Buffer.alloc(32, 0xb2).toString('base64')}\n\n— farebox/attest.example AAAA\n`,
      inclusion: ['c3'.repeat(32)],
    },
  },
  answer({ sha256 }, { use }, refuse) {
    const attesting = use(attestations)
    if (!attesting) return refuse('signer_unconfigured', 'This deployment has no log')
    const found = attesting.ledger.find(sha256)
    if (!found) return refuse('not_in_the_log', 'The log has no attestation of this hash')
    return {
      origin: attesting.ledger.name,
      index: found.index,
      checkpoint: found.head.checkpoint,
      inclusion: found.inclusion.map(hash => hash.toString('hex')),
    }
  },
})
