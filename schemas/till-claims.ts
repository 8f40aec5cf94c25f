/** Which instance may work on a payment or an Idempotency-Key. The order of the log decides. */
import { z } from 'zod'
import { defineDataset, field, type RowOf } from './dataset.ts'

const fields = {
  thing: field(z.string().min(1), 'String', 'The hash of a payment or a key'),
  by: field(z.string().min(1), 'String', 'The instance'),
  claim: field(z.string().min(1), 'String', 'The id of this claim'),
  what: field(
    z.enum(['take', 'free']),
    'String',
    'take: the instance claims the thing; free: it has finished with it',
  ),
  lease_ms: field(z.int().min(0), 'UInt32', 'How long the claim lasts, by the clock of the log'),
}

export type TillClaim = RowOf<typeof fields>

export const tillClaims = defineDataset({
  name: 'till_claims',
  about:
    'Claims of instances on payments and keys; the one with the lowest place owns the thing for its lease',
  fields,
  key: ['thing'],
  identity: ['claim', 'what'],
  audience: 'log',
  keep: { ms: 20 * 60_000 },
})
