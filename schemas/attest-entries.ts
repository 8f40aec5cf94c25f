/** The log of attestations: one entry for each, in one order, for ever. An entry does not show which page it is about. */
import { z } from 'zod'
import { defineDataset, field, type RowOf } from './dataset/dataset.ts'
import { Instant, Sha256 } from './values/values.ts'

const fields = {
  log: field(z.string().min(1), 'LowCardinality(String)', 'The name of the log: farebox/ and the host'),
  statement_sha256: field(Sha256, 'FixedString(64)', 'SHA-256 of the statement'),
  signature: field(
    z.string().regex(/^0x[0-9a-f]{130}$/, 'a signature of 65 bytes in hex'),
    'String',
    'The signature of the statement',
  ),
  timestamps_sha256: field(Sha256, 'FixedString(64)', 'SHA-256 of its time-stamps, one behind the other'),
  at: field(Instant, "DateTime64(3, 'UTC')", 'When it was handed to the log'),
}

export type AttestEntry = RowOf<typeof fields>

export const attestEntries = defineDataset({
  name: 'attest_entries',
  about: 'Attestations in the order of their log: hashes and times, no URL',
  fields,
  key: ['log'],
  identity: ['log', 'statement_sha256'],
  inOneOrder: true,
})
