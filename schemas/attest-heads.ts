/** Heads of the log of attestations: how many entries it has, and the signed root of all of them. */
import { z } from 'zod'
import { defineDataset, field, type RowOf } from './dataset/dataset.ts'
import { Instant, Sha256 } from './values/values.ts'

const fields = {
  log: field(z.string().min(1), 'LowCardinality(String)', 'The name of the log'),
  size: field(z.int().min(0), 'UInt64', 'Entries'),
  root: field(Sha256, 'FixedString(64)', 'The root of their Merkle tree'),
  checkpoint: field(z.string(), 'String', 'Both in a signed note, as verifiers take it'),
  at: field(Instant, "DateTime64(3, 'UTC')", 'When it was signed'),
}

export type AttestHead = RowOf<typeof fields>

/** The newest head is enough to continue. The table has all of them. */
export const attestHeads = defineDataset({
  name: 'attest_heads',
  about: 'Signed heads of the log of attestations',
  fields,
  key: ['log'],
  identity: ['log', 'size', 'root'],
  keep: 'newest',
  inOneOrder: true,
})
