/** What the events of each dataset look like, by version: a process learns from it that a newer version writes beside it. */
import { z } from 'zod'
import { defineDataset, field, type RowOf } from './dataset/dataset.ts'
import { Instant, Sha256 } from './values/values.ts'

const fields = {
  dataset: field(z.string().min(1), 'LowCardinality(String)', 'The dataset'),
  shape: field(Sha256, 'FixedString(64)', 'A hash of the schema'),
  version: field(z.int().min(1), 'UInt32', 'The number of the schema: the later one has the higher number'),
  schema: field(z.string(), 'String', 'The JSON Schema of its events'),
  at: field(Instant, "DateTime64(3, 'UTC')", 'When a process first wrote such events'),
}

export type DatasetSchema = RowOf<typeof fields>

export const datasetSchemas = defineDataset({
  name: 'dataset_schemas',
  about: 'The schemas of the events of each dataset, by version',
  fields,
  key: ['dataset', 'shape'],
  identity: ['dataset', 'shape'],
  audience: 'log',
  keep: 'newest',
})
