/** Product pages read to the field. */
import { defineOrigin } from '../../offer/origin.ts'
import { extractDrawings } from './drawings.ts'
import { extractWords } from './field-words.ts'
import { extractProduct } from './product/extract.ts'
import { extractBatch } from './product/extract-batch.ts'
import { preview } from './product/preview.ts'

export const extract = defineOrigin({
  name: 'extract',
  title: 'Product pages, read to the field',
  version: '0.17.1',
  address: 'EXTRACT_URL',
  words: extractWords,
  drawings: extractDrawings,
  operations: [extractProduct, extractBatch],
  guarantees: [
    'A URL that redirects to a page that looks different is refused free, unless allow_redirect is true.',
    'A cached answer says so, with its age and the moment when the page was really fetched.',
    'A field that the page does not state is null. Nothing is made up, and no model is asked.',
    'What the shop declares (JSON-LD, ProductGroup, microdata) comes before what the page shows, and provenance says which is which.',
    'A batch is free if every page fails, and charged in full as soon as one is read.',
    'A call that fails is never charged.',
  ],
  free: [preview],
  pages: [],
})
