/** Reads the text of a PDF. It runs in a process of its own, because a PDF may take any time and any memory. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { PDFiumModule } from '@hyzyla/pdfium'
import { type Form, openForm } from './form.ts'
import { type PageText, pageText } from './page-text.ts'
import { cleaned, type Pdfium, utf16 } from './pdfium.ts'

export interface PdfQuestion {
  bytes: Uint8Array
  /** Counted from 1. If absent, the first page. */
  first?: number | undefined
  /** If absent, the last page. */
  last?: number | undefined
  /** An answer has at most this much text, as JSON writes it. */
  mostBytes: number
}

export interface PdfText {
  title: string | null
  author: string | null
  pageCount: number
  /** `hidden`: the number of invisible letters, which are left out. */
  pages: { page: number; text: string; hidden: number }[]
}

type PdfRefusal = 'pdf_encrypted' | 'pdf_broken' | 'scanned_pdf' | 'too_much_text' | 'page_out_of_range'

export interface NoPdf {
  refusal: PdfRefusal
  message: string
}

/** Above this size the process ends after its answer, because the heap of WebAssembly never shrinks. */
export const mostHeapBytes = 600 << 20

/** Codes of FPDF_GetLastError. */
const needsPassword = [4, 5]
const imageObject = 3
/** A page of text has more letters. A scan has fewer, from a stamp or from noise. */
const lettersOfScan = 10

export async function openPdfium(): Promise<{
  read: (question: PdfQuestion) => PdfText | NoPdf
  heapBytes: () => number
}> {
  const file = createRequire(import.meta.url).resolve('@hyzyla/pdfium/pdfium.wasm')
  const wasm = await readFile(file)
  const opened = await PDFiumModule({ wasmBinary: wasm.buffer as ArrayBuffer, locateFile: () => '' })
  const pdfium = opened as unknown as Pdfium
  pdfium._FPDF_InitLibrary()
  return {
    read: question => withDocument(pdfium, question, document => textOf(pdfium, document, question)),
    heapBytes: () => pdfium.HEAPU8.length,
  }
}

function withDocument(
  pdfium: Pdfium,
  { bytes }: PdfQuestion,
  read: (document: number) => PdfText | NoPdf,
): PdfText | NoPdf {
  const at = pdfium.wasmExports.malloc(bytes.length)
  pdfium.HEAPU8.set(bytes, at)
  const document = pdfium._FPDF_LoadMemDocument(at, bytes.length, 0)
  try {
    if (document) return read(document)
    return needsPassword.includes(pdfium._FPDF_GetLastError())
      ? { refusal: 'pdf_encrypted', message: 'The PDF is encrypted and needs a password' }
      : { refusal: 'pdf_broken', message: 'The PDF is damaged: its pages cannot be found' }
  } finally {
    if (document) pdfium._FPDF_CloseDocument(document)
    pdfium.wasmExports.free(at)
  }
}

function textOf(pdfium: Pdfium, document: number, asked: PdfQuestion): PdfText | NoPdf {
  const pageCount = pdfium._FPDF_GetPageCount(document)
  if (pageCount < 1) return { refusal: 'pdf_broken', message: 'The PDF has no page' }
  const { first = 1, last = pageCount } = asked
  if (first > pageCount || last > pageCount || first > last)
    return {
      refusal: 'page_out_of_range',
      message: `The PDF has ${pageCount} ${pageCount > 1 ? 'pages' : 'page'}, and pages ${first} to ${last} were asked for`,
    }
  const form = openForm(pdfium, document)
  try {
    return pagesOf(pdfium, document, { ...asked, first, last, pageCount, form })
  } finally {
    form?.close()
  }
}

interface Range extends PdfQuestion {
  first: number
  last: number
  pageCount: number
  form: Form | undefined
}

function pagesOf(pdfium: Pdfium, document: number, asked: Range): PdfText | NoPdf {
  const { first, last, mostBytes, pageCount } = asked
  const pages: PdfText['pages'] = []
  let size = 0
  let letters = 0
  let pictured = 0
  let damaged = 0
  const legible: number[] = []
  for (let page = first; page <= last; page++) {
    if (pdfium.HEAPU8.length > mostHeapBytes) throw new Error(`it takes more than ${mostHeapBytes >> 20} MB`)
    const { text, hidden, images, isDamaged } = pageOf(pdfium, document, page - 1, asked)
    const own = text.match(/[\p{L}\p{N}]/gu)?.length ?? 0
    letters += own
    if (images) pictured += 1
    if (isDamaged) damaged += 1
    else if (own > 0 || !images) legible.push(page)
    size += Buffer.byteLength(JSON.stringify(text))
    if (size > mostBytes)
      return {
        refusal: 'too_much_text',
        message:
          page === first
            ? `Page ${page} alone has more than ${mostBytes} bytes of text`
            : `The pages have more than ${mostBytes} bytes of text: ask for pages ${first} to ${page - 1} first`,
      }
    pages.push({ page, text, hidden })
  }
  if (letters < lettersOfScan * pages.length && (pictured > 0 || letters === 0))
    return {
      refusal: 'scanned_pdf',
      message: `The ${pages.length > 1 ? `${pages.length} pages have` : 'page has'} ${pictured ? 'pictures and ' : ''}no text: ${letters} letters in all`,
    }
  const unread = pages.length - legible.length
  if (2 * unread > pages.length)
    return {
      refusal: 2 * damaged > unread ? 'pdf_broken' : 'scanned_pdf',
      message: `${unread} of the ${pages.length} pages are damaged, or pictures without text. Pages that can be read: ${rangesOf(legible)}`,
    }
  return {
    title: meta(pdfium, document, 'Title'),
    author: meta(pdfium, document, 'Author'),
    pageCount,
    pages,
  }
}

const mostRanges = 20

/** 1 to 3, 7 */
function rangesOf(numbers: readonly number[]): string {
  const ranges: [first: number, last: number][] = []
  for (const number of numbers) {
    const open = ranges.at(-1)
    if (open && open[1] === number - 1) open[1] = number
    else ranges.push([number, number])
  }
  const told = ranges.slice(0, mostRanges).map(([a, b]) => (a === b ? a : `${a} to ${b}`))
  return [...told, ...(ranges.length > mostRanges ? ['...'] : [])].join(', ') || 'none'
}

function pageOf(
  pdfium: Pdfium,
  document: number,
  index: number,
  { form, mostBytes }: Pick<Range, 'form' | 'mostBytes'>,
): PageText & { images: boolean; isDamaged: boolean } {
  const page = pdfium._FPDF_LoadPage(document, index)
  // The others can still be read.
  if (!page) return { text: '', hidden: 0, images: false, isDamaged: true }
  const textPage = pdfium._FPDFText_LoadPage(page)
  try {
    const isTooMuch = textPage !== 0 && pdfium._FPDFText_CountChars(textPage) > mostBytes
    // Its letters are not looked at: the refusal needs their number alone.
    if (isTooMuch) return { text: ' '.repeat(mostBytes + 1), hidden: 0, images: false, isDamaged: false }
    const images = () => hasImages(pdfium, page)
    const { text, hidden } = textPage ? pageText(pdfium, page, textPage, images) : { text: '', hidden: 0 }
    const filled = form?.linesOf(page).join('\n')
    return { text: filled ? `${text}\n\n${filled}`.trim() : text, hidden, images: images(), isDamaged: false }
  } finally {
    if (textPage) pdfium._FPDFText_ClosePage(textPage)
    pdfium._FPDF_ClosePage(page)
  }
}

function hasImages(pdfium: Pdfium, page: number): boolean {
  const objects = Math.min(pdfium._FPDFPage_CountObjects(page), 1000)
  for (let i = 0; i < objects; i++)
    if (pdfium._FPDFPageObj_GetType(pdfium._FPDFPage_GetObject(page, i)) === imageObject) return true
  return false
}

function meta(pdfium: Pdfium, document: number, name: string): string | null {
  const tag = Buffer.from(`${name}\0`)
  const tagAt = pdfium.wasmExports.malloc(tag.length)
  try {
    pdfium.HEAPU8.set(tag, tagAt)
    const size = pdfium._FPDF_GetMetaText(document, tagAt, 0, 0)
    if (size <= 2 || size > 10_000) return null
    const text = utf16(pdfium, size, at => pdfium._FPDF_GetMetaText(document, tagAt, at, size))
    return cleaned(text).replace(/\s+/g, ' ').slice(0, 500) || null
  } finally {
    pdfium.wasmExports.free(tagAt)
  }
}
