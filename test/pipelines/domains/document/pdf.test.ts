import { beforeAll, describe, expect, it } from 'vitest'
import { openPdfium, type PdfQuestion } from '../../../../pipelines/domains/document/pdf/document.ts'
import { pdfOf } from './pdf-file.ts'

let pdfium: Awaited<ReturnType<typeof openPdfium>>
beforeAll(async () => {
  pdfium = await openPdfium()
})
const read = (bytes: Buffer, asked: Partial<PdfQuestion> = {}) =>
  pdfium.read({ bytes, mostBytes: 100_000, ...asked })

const lines = ['The sea wall was built in 1911.', 'It was repaired (twice).']
const three = {
  title: 'Sea walls – a report',
  author: 'The port of Esker',
  pages: [lines, ['Page two has some text.'], ['And page three as well.']],
}

describe('a PDF', () => {
  it('is read page by page, with its title and author', () => {
    expect(read(pdfOf(three))).toEqual({
      title: 'Sea walls – a report',
      author: 'The port of Esker',
      pageCount: 3,
      pages: [
        { page: 1, text: lines.join('\n'), hidden: 0 },
        { page: 2, text: 'Page two has some text.', hidden: 0 },
        { page: 3, text: 'And page three as well.', hidden: 0 },
      ],
    })
  })

  it('without a title has none', () => {
    expect(read(pdfOf({ pages: [lines] }))).toMatchObject({ title: null, author: null })
  })

  it('is read in a range', () => {
    expect(read(pdfOf(three), { first: 2, last: 2 })).toMatchObject({
      pageCount: 3,
      pages: [{ page: 2, text: 'Page two has some text.' }],
    })
  })

  it.each([
    [{ first: 4 }, 'pages 4 to 3'],
    [{ last: 9 }, 'pages 1 to 9'],
    [{ first: 3, last: 2 }, 'pages 3 to 2'],
  ])('without the pages %j says how many it has', (range, words) => {
    expect(read(pdfOf(three), range)).toEqual({
      refusal: 'page_out_of_range',
      message: expect.stringMatching(new RegExp(`has 3 pages.*${words}`)),
    })
  })

  it('of pictures is a scan', () => {
    expect(read(pdfOf({ pages: [[], []] }))).toMatchObject({ refusal: 'scanned_pdf' })
    expect(read(pdfOf({ pages: [['12'], []] }))).toMatchObject({ refusal: 'scanned_pdf' })
  })

  it('whose pages are mostly pictures is not sold: the pages of text are named', () => {
    const text = ['This page has a text of its own, and it is long enough for two.']
    expect(read(pdfOf({ pages: [text, [], [], text, text, []] }))).toMatchObject({ pageCount: 6 })
    expect(read(pdfOf({ pages: [text, text, [], [], text, [], []] }))).toEqual({
      refusal: 'scanned_pdf',
      message: '4 of the 7 pages are damaged, or pictures without text. Pages that can be read: 1 to 2, 5',
    })
  })

  it('with one picture among pages of text is not a scan', () => {
    expect(read(pdfOf({ pages: [lines, [], lines] }))).toMatchObject({ pages: [{}, { text: '' }, {}] })
  })

  it('is read with the values in its form, and without a password', () => {
    const fields = [
      '/FT /Tx /T (f1) /TU (Name of the ship) /V (Sea Rose)',
      '/FT /Tx /T (berth) /V (12\nnorth)',
      '/FT /Tx /T (empty)',
      '/FT /Tx /Ff 8192 /T (code) /V (sesame)',
      '/FT /Ch /Ff 131072 /T (flag) /V (Norway) /Opt [(Norway) (Chile)]',
      '/FT /Btn /T (insured) /V /Yes /AS /Yes',
      '/FT /Btn /T (towed) /V /Off /AS /Off',
    ]
    const form = ['Name of the ship: Sea Rose', 'berth: 12\nnorth', 'flag: Norway', 'insured: Yes']
    expect(read(pdfOf({ pages: [lines, lines], fields }))).toMatchObject({
      pages: [{ text: [...lines, '', ...form].join('\n') }, { text: lines.join('\n') }],
    })
    // A scan with a filled form has a text.
    expect(read(pdfOf({ pages: [[]], fields }))).toMatchObject({ pages: [{ text: form.join('\n') }] })
  })

  it('with a password is refused by name', () => {
    expect(read(pdfOf({ ...three, locked: true }))).toMatchObject({ refusal: 'pdf_encrypted' })
  })

  it('with too much text gets a message with the amount that fits', () => {
    const pages = Array.from({ length: 5 }, (_, i) => [`Page ${i + 1} `.padEnd(80, 'x')])
    expect(read(pdfOf({ pages }), { mostBytes: 250 })).toEqual({
      refusal: 'too_much_text',
      message: expect.stringContaining('pages 1 to 3'),
    })
    expect(read(pdfOf({ pages }), { mostBytes: 50 })).toMatchObject({
      refusal: 'too_much_text',
      message: expect.stringContaining('Page 1 alone'),
    })
  })

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['a page of the web', Buffer.from('<html>not here</html>')],
    ['a head alone', Buffer.from('%PDF-1.7\n')],
    ['noise', Buffer.from(Array.from({ length: 5_000 }, (_, i) => (i * 7919) % 256))],
  ])('of %s is broken', (_what, bytes) => {
    expect(read(bytes)).toMatchObject({ refusal: 'pdf_broken' })
  })

  it('that is cut anywhere is text or a named refusal, and the next one is read', () => {
    const whole = pdfOf(three)
    for (let length = 0; length < whole.length; length += 97) {
      const found = read(whole.subarray(0, length))
      expect('refusal' in found || found.pages.length > 0).toBe(true)
    }
    expect(read(whole)).toMatchObject({ pageCount: 3 })
  })
})
