/** Writes small PDFs: pages of text, and pages that are a picture as a scanner makes them. */

export interface PdfContent {
  title?: string
  author?: string
  /** The lines of each page, or its drawing commands: `/F` is a font, `/P` a picture. An empty page is a scan. */
  pages: readonly (readonly string[] | string)[]
  /** The rotation of every page to the right. */
  rotate?: number
  /** The fields of a form on the first page, as the content of their dictionaries. A box has the states Yes and Off. */
  fields?: readonly string[]
  /** It cannot be opened without a password. */
  locked?: boolean
}

export function pdfOf({ title, author, pages, fields = [], locked = false, rotate = 0 }: PdfContent): Buffer {
  const objects: string[] = []
  const add = (body: string): string => `${objects.push(body)} 0 R`
  const catalog = add('')
  const tree = add('')
  const font = add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>')
  const picture = add(
    stream(
      '/Type /XObject /Subtype /Image /Width 8 /Height 8 /ColorSpace /DeviceGray /BitsPerComponent 1',
      '\x3cBBBBBB<',
    ),
  )
  const drawing = add(stream('/Type /XObject /Subtype /Form /BBox [0 0 9 9]', 'q Q'))
  const states = `/AP << /N << /Yes ${drawing} /Off ${drawing} >> >>`
  const widgets = fields
    .map(field => add(`<< /Type /Annot /Subtype /Widget /Rect [60 60 260 80] ${states} ${field} >>`))
    .join(' ')
  const kids = pages.map((lines, i) => {
    const drawn =
      typeof lines === 'string' ? lines : lines.length ? textOf(lines) : 'q 595 0 0 842 0 0 cm /P Do Q'
    const content = add(stream('', drawn))
    return add(
      `<< /Type /Page /Parent ${tree} /MediaBox [0 0 595 842] /Rotate ${rotate} /Contents ${content} /Annots [${i === 0 ? widgets : ''}] /Resources << /Font << /F ${font} >> /XObject << /P ${picture} >> >> >>`,
    )
  })
  objects[0] = `<< /Type /Catalog /Pages ${tree} ${widgets && `/AcroForm << /Fields [${widgets}] >>`} >>`
  objects[1] = `<< /Type /Pages /Kids [${kids.join(' ')}] /Count ${kids.length} >>`
  const named = [
    ['Title', title],
    ['Author', author],
  ].flatMap(([name, text]) => (text === undefined ? [] : [`/${name} ${utf16(text)}`]))
  const info = add(`<< ${named.join(' ')} >>`)
  const lock = locked
    ? `/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${'5a'.repeat(32)}> /U <${'a5'.repeat(32)}> >> /ID [<00> <00>]`
    : ''
  return file(objects, `/Root ${catalog} /Info ${info} ${lock}`)
}

function file(objects: readonly string[], trailer: string): Buffer {
  let text = '%PDF-1.7\n'
  const places = objects.map((body, i) => {
    const at = text.length
    text += `${i + 1} 0 obj\n${body}\nendobj\n`
    return `${String(at).padStart(10, '0')} 00000 n \n`
  })
  const size = objects.length + 1
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${places.join('')}`
  return Buffer.from(
    `${text}${table}trailer\n<< /Size ${size} ${trailer} >>\nstartxref\n${text.length}\n%%EOF\n`,
    'latin1',
  )
}

const stream = (entries: string, body: string): string =>
  `<< ${entries} /Length ${body.length} >>\nstream\n${body}\nendstream`

const textOf = (lines: readonly string[]): string =>
  `BT /F 12 Tf 16 TL 60 780 Td ${lines.map(line => `(${line.replace(/[\\()]/g, '\\$&')}) Tj T*`).join(' ')} ET`

const utf16 = (text: string): string => `<feff${Buffer.from(text, 'utf16le').swap16().toString('hex')}>`
