/** An answer that no log record can hold, even compressed: the same text for the same word. */
import { createHash } from 'node:crypto'

export const largeAnswer = (said: string): string =>
  JSON.stringify({
    said,
    picture: createHash('shake256', { outputLength: 1_200_000 }).update(said).digest('base64'),
  })
