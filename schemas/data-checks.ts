/** The promises of each dataset about its rows, checked after every load. */
import { z } from 'zod'
import { defineDataset, field, latest, type RowOf } from './dataset/dataset.ts'
import { Instant } from './values/values.ts'

const fields = {
  dataset: field(z.string(), 'LowCardinality(String)', 'The dataset whose rows were looked at'),
  check: field(
    z.string(),
    'LowCardinality(String)',
    'rows: there are not fewer facts than at the check before; any other name is a check of the dataset',
  ),
  at: field(Instant, "DateTime64(3, 'UTC')", 'When it ended', 'Delta(8), ZSTD(1)'),
  passed: field(z.boolean(), 'Bool', 'Nothing is wrong'),
  wrong: field(z.int().min(0), 'UInt64', 'Rows, days or other things that are wrong'),
  facts: field(
    z.int().min(0),
    'UInt64',
    'Facts in the table when they were last counted: a large table is counted once a day',
  ),
  through: field(
    // Older events have neither.
    z.string().regex(/^\d+$/).nullable().default(null),
    'Nullable(UInt64)',
    'The highest version of the table when the check began: the next one looks at what came after it',
  ),
  whole: field(
    z.boolean().default(true),
    'Bool',
    'It looked at all rows, as once a day, and not only at those that came since it passed last',
  ),
  detail: field(
    z.string(),
    'String',
    'What the check asks for and, where it failed, an example; or that it did not run, and why',
  ),
}

export type DataCheck = RowOf<typeof fields>

const dataCheckNow = latest<DataCheck>({
  name: 'data_check_now',
  about: 'The last run of each check of each dataset',
  key: ['dataset', 'check'],
})

const monthMs = 30 * 86_400_000

export const dataChecks = defineDataset({
  name: 'data_checks',
  about: 'Checks of the rows of each dataset, run after each load: counts, gaps, ranges',
  fields,
  key: ['dataset', 'check'],
  identity: ['dataset', 'check', 'at'],
  table: { partitionBy: 'toYYYYMM(at)', expires: { after: 'at', days: 400 } },
  keep: { ms: monthMs },
  views: [dataCheckNow],
})
