/** What does this PDF say? */
import { z } from 'zod'
import { isUnreadable, pdfLookup } from '../../../pipelines/lookups/document.ts'
import type { PageRefusal } from '../../../pipelines/rails/outside/pages/page.ts'
import { defineOperation, type Refusal } from '../../offer/operation.ts'
import {
  pageAnswer,
  pageAnswered,
  pageExample,
  pageOf,
  pageQuestion,
  pageRefusals,
} from '../../offer/pages.ts'

/** An answer is one record of the log. */
const mostTextBytes = 800_000

const { not_a_page: _, page_too_large: __, ...ofPages } = pageRefusals
const own = {
  not_a_pdf: { status: 422, about: 'There is something else than a PDF' },
  pdf_too_large: {
    status: 422,
    about: 'The PDF is larger than 25 MB, or takes more than 10 s or 600 MB to read',
  },
  pdf_encrypted: { status: 422, about: 'The PDF needs a password' },
  pdf_broken: { status: 422, about: 'The PDF is damaged' },
  scanned_pdf: { status: 422, about: 'The pages are pictures: a scan has no text' },
  too_much_text: {
    status: 422,
    about: 'The text is too long for one answer; the message names pages that fit',
  },
  page_out_of_range: { status: 400, about: 'The PDF does not have these pages' },
} as const satisfies Record<string, Refusal>

const pageNumber = (what: string) => z.int().min(1).max(100_000).optional().describe(what)

export const pdf = defineOperation({
  id: 'readPdf',
  path: '/pdf',
  price: '0.005',
  inBrief: 'The text of a public PDF, page by page, tables row by row.',
  costs: 'costly',
  ofModels: { max_bytes: 60_000 },
  sold: 'Sold if at least half of the pages can be read.',
  title: 'The text of a PDF',
  about:
    'The text of each page of a public PDF of up to 25 MB, with title, author, number of pages and the SHA-256 of the file. Columns are read one after the other and tables row by row, with a tab for each cell; text that nobody sees is left out and counted. A long document is read in ranges of pages: a free refusal names the pages that fit. Scans, encrypted and damaged files are refused by name, free.',
  tags: ['pdf', 'document', 'text'],
  request: z.strictObject({
    ...pageQuestion,
    url: pageQuestion.url.describe('The public http or https URL of a PDF'),
    first_page: pageNumber('The first page to read, from 1; the first of the document if absent'),
    last_page: pageNumber('The last page to read; the last of the document if absent'),
    max_bytes: z
      .int()
      .min(1_000)
      .max(mostTextBytes)
      .default(mostTextBytes)
      .describe('Most text; for a longer one, a free refusal names the pages that fit'),
  }),
  response: z.strictObject({
    ...pageAnswer,
    title: z.string().nullable().describe('As the document declares it'),
    author: z.string().nullable().describe('As the document declares it'),
    page_count: z.int().describe('Of the whole document'),
    pages: z.array(
      z.strictObject({
        page: z.int(),
        text: z.string(),
        hidden_letters: z
          .int()
          .describe(
            'How many letters nobody sees on the page: invisible, or in the colour of the paper. They are left out',
          ),
      }),
    ),
    sha256: z.string().describe('Of the file, in hex'),
    bytes: z.int().describe('The size of the file'),
  }),
  refusals: { ...ofPages, ...own },
  example: {
    request: { url: 'http://files.sample/timetable.pdf' },
    response: {
      ...pageExample('http://files.sample/timetable.pdf', '2026-11-22T12:00:00.000Z'),
      title: 'Ferry timetable',
      author: 'Farebox samples',
      page_count: 2,
      pages: [
        {
          page: 1,
          text: 'Ferry timetable, winter\nA sample document of the sandbox.\nHarbour 08:15 17:40\nIslands 10:05 19:30',
          hidden_letters: 0,
        },
        {
          page: 2,
          text: 'Fares\nSeat 18 euros\nBerth 44 euros\nCar 39 euros\nChildren below twelve travel free with an adult.',
          hidden_letters: 0,
        },
      ],
      sha256: '2c33afee6410a88f8e6f9e515f32b17f745ede1f90b27b42073c2e78c411238a',
      bytes: 1253,
    },
  },
  async answer(
    { url, first_page: first, last_page: last, max_age_seconds, max_bytes: mostBytes },
    tools,
    refuse,
  ) {
    if (first !== undefined && last !== undefined && first > last)
      return refuse('page_out_of_range', `first_page is ${first}, which is after last_page, ${last}`)
    const refuseFile = (code: PageRefusal, message: string): never =>
      code === 'not_a_page'
        ? refuse('not_a_pdf', message)
        : code === 'page_too_large'
          ? refuse('pdf_too_large', message)
          : refuse(code, message)
    const file = await pageOf(
      { url, render: 'never', kind: 'pdf', maxAgeMs: max_age_seconds * 1000 },
      tools,
      refuseFile,
    )
    const { bytes } = file
    const found = await tools.find(pdfLookup, { bytes, first, last, mostBytes })
    if (!found) throw new Error('the lookup of PDFs answers every question')
    if (isUnreadable(found)) return refuse('pdf_too_large', `The PDF cannot be read: ${found.unreadable}`)
    if ('refusal' in found) return refuse(found.refusal, found.message)
    const { title, author, pageCount, pages, sha256 } = found
    return {
      ...pageAnswered(file),
      title,
      author,
      page_count: pageCount,
      pages: pages.map(({ page, text, hidden }) => ({ page, text, hidden_letters: hidden })),
      sha256,
      bytes: bytes.length,
    }
  },
})
