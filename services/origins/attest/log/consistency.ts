/** Proves that the log has only grown between two sizes. */
import { z } from 'zod'
import { attestations } from '../../../../pipelines/domains/attestation/attestor.ts'
import { Sha256 } from '../../../../schemas/values/values.ts'
import { defineFree } from '../../../offer/operation.ts'

const size = z.coerce.number().int().min(1)

export const attestLogConsistency = defineFree({
  id: 'attestLogConsistency',
  path: '/attest/log/consistency',
  method: 'GET',
  perMinute: 120,
  title: 'The log has only grown',
  about: 'The proof that the log of one size begins with all of the log of an earlier size (RFC 9162).',
  tags: ['attestation'],
  request: z.strictObject({
    from: size.describe('The earlier size'),
    to: size.optional().describe('The later size; that of the newest checkpoint if absent'),
  }),
  response: z.strictObject({
    from: z.int(),
    to: z.int(),
    from_root: Sha256,
    to_root: Sha256,
    proof: z.array(Sha256),
    checkpoint: z.string().describe('The newest'),
  }),
  refusals: {
    no_such_size: { status: 422, about: 'The log is not that large, or `from` is above `to`' },
    signer_unconfigured: { status: 503, about: 'This deployment has no log' },
  },
  example: {
    request: { from: 1, to: 2 },
    response: {
      from: 1,
      to: 2,
      from_root: 'a1'.repeat(32),
      to_root: 'b2'.repeat(32),
      proof: ['c3'.repeat(32)],
      checkpoint: `farebox/attest.example\n2\n${Buffer.alloc(32, 0xb2).toString('base64')}\n\n— farebox/attest.example AAAA\n`,
    },
  },
  answer({ from, to }, { use }, refuse) {
    const attesting = use(attestations)
    if (!attesting) return refuse('signer_unconfigured', 'This deployment has no log')
    const { head, book } = attesting.ledger
    const until = to ?? head?.size ?? 0
    if (!head || until > head.size || from > head.size)
      return refuse('no_such_size', `The log has ${head?.size ?? 0} entries`)
    if (from > until) return refuse('no_such_size', '`from` is above `to`')
    const hex = (hash: Buffer) => hash.toString('hex')
    return {
      from,
      to: until,
      from_root: hex(book.tree.root(from)),
      to_root: hex(book.tree.root(until)),
      proof: book.tree.consistency(from, until).map(hex),
      checkpoint: head.checkpoint,
    }
  },
})
