/** How far the meter has counted: the settlements up to here are on a page of metrics that somebody has read. */
import { z } from 'zod'
import { defineDataset, field } from './dataset/dataset.ts'

const fields = {
  topic: field(z.string(), 'String', 'What is counted'),
  next: field(
    z.record(z.string().regex(/^\d+$/), z.string().regex(/^\d+$/)),
    'Map(String, String)',
    'The offset after the last counted record of each partition',
  ),
}

export const salesCounted = defineDataset({
  name: 'sales_counted',
  about: 'How far the meter has counted the sales, as its pages have shown: another one goes on from there',
  fields,
  key: ['topic'],
  identity: ['topic'],
  audience: 'log',
  keep: 'newest',
})
