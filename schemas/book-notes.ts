/** What an operator has signed off: why a difference of the books is none to act on. Its day can be closed then. */
import { z } from 'zod'
import { bookDifferences, differenceKey } from './book-differences.ts'
import { defineDataset, field, latest, type RowOf } from './dataset/dataset.ts'
import { Instant } from './values/values.ts'

const { network, kind, day, tx, payer, pay_to, chain_usdc, books_usdc, times } = bookDifferences.fields

const fields = {
  ...{ network, kind, day, tx, payer, pay_to, chain_usdc, books_usdc },
  times: { ...times, about: 'How many such are explained: if more come, the difference is open again' },
  note: field(z.string().min(1).max(500), 'String', 'Why it differs, in the words of the operator'),
  by: field(z.string().min(1).max(100), 'String', 'Who has signed it off'),
  at: field(Instant, "DateTime64(3, 'UTC')", 'When'),
}

export type BookNote = RowOf<typeof fields>

export const bookNotes = defineDataset({
  name: 'book_notes',
  about: 'Differences of the books that an operator has explained and signed off',
  fields,
  key: differenceKey,
  identity: [...differenceKey, 'at'],
  views: [
    latest<BookNote>({
      name: 'book_differences_explained',
      about: 'The newest note on each difference that was signed off',
      key: differenceKey,
      newest: ['at'],
      required: false,
    }),
  ],
})
