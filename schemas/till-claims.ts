/** Who may work on a payment or an Idempotency-Key: the log is the judge among instances. */
import { z } from 'zod'
import { defineDataset, field, type RowOf } from './dataset.ts'

const fields = {
  thing: field(z.string().min(1), 'String', 'A spend or a key, hashed'),
  by: field(z.string().min(1), 'String', 'The instance'),
  claim: field(z.string().min(1), 'String', 'This claim and no other'),
  what: field(z.enum(['take', 'free']), 'String', 'take: wants it; free: has done with it'),
  lease_ms: field(z.int().min(0), 'UInt32', 'For how long it is wanted, by the clock of the log'),
}

export type TillClaim = RowOf<typeof fields>

export const tillClaims = defineDataset({
  name: 'till_claims',
  about: 'Claims of instances on payments and keys; the lowest place owns for its lease',
  fields,
  key: ['thing'],
  identity: ['claim', 'what'],
  audience: 'log',
  keep: { ms: 20 * 60_000 },
})
