/** An event that fails the check of its dataset is kept here with the reason. Nothing is dropped in silence. */
import { z } from 'zod'
import { defineDataset, field } from './dataset/dataset.ts'
import { Instant } from './values/values.ts'

export const rejects = defineDataset({
  name: 'rejects',
  about: 'Events that failed the check of their dataset, with the reason',
  fields: {
    topic: field(z.string(), 'LowCardinality(String)', 'The topic of the event'),
    place: field(
      z.string(),
      'String',
      'Its place there: partition and offset, and the place in a packed record',
    ),
    at: field(Instant, "DateTime64(3, 'UTC')", 'When it was refused'),
    reason: field(z.string(), 'String', 'Why'),
    event: field(z.string(), 'String', 'The event as it was written'),
    sent_at: field(
      Instant.nullable().default(null),
      "Nullable(DateTime64(3, 'UTC'))",
      'When it was sent again, mended or as it was; null: it was not',
    ),
  },
  key: ['topic', 'place'],
  identity: ['topic', 'place'],
  audience: 'service',
  table: { expires: { after: 'at', days: 400 } },
  keep: { ms: 90 * 86_400_000 },
})

/** JSON may make it longer, and it must fit into a record. */
const keptCharacters = 100_000

/** The part of a refused event that its reject keeps. The store takes no half of a character, which a cut may leave. */
export const keptOf = (event: string): string => event.slice(0, keptCharacters).toWellFormed()
