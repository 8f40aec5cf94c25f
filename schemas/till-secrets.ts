/**
 * The secrets with which the till names first callers. They are in a topic of their own, so that the names alone
 * identify nobody.
 */
import { z } from 'zod'
import { defineDataset, field, type RowOf } from './dataset/dataset.ts'
import { Sha256 } from './values/values.ts'

const fields = {
  use: field(z.enum(['caller']), 'String', 'What is named with it'),
  secret: field(Sha256, 'String', 'Random, and gone after two days'),
}

export type TillSecret = RowOf<typeof fields>

export const tillSecrets = defineDataset({
  name: 'till_secrets',
  about:
    'Secrets that the instances of the till share for a day, to know the first caller of a payment again',
  fields,
  key: ['use'],
  identity: ['secret'],
  audience: 'log',
  keep: { ms: 48 * 60 * 60_000 },
})
