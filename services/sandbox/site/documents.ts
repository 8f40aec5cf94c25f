/** Small PDF files: one with a text layer, and a scan without one. */

export const textPdf = (title: string, pages: readonly (readonly string[])[]): Buffer =>
  pdf(
    title,
    pages.map(lines => {
      const shown = lines.map(line => `(${line.replace(/[\\()]/g, '\\$&')}) Tj T*`).join('\n')
      return `BT /F1 12 Tf 16 TL 60 760 Td\n${shown}\nET`
    }),
  )

/** A page of grey bars, as a picture. */
export function scannedPdf(title: string): Buffer {
  const rows = Array.from({ length: 40 }, (_, i) => (i % 3 === 0 ? '00' : 'ff').repeat(5)).join('')
  return pdf(title, [`q 480 0 0 640 60 80 cm BI /W 40 /H 40 /CS /G /BPC 1 /F /AHx ID ${rows}> EI Q`])
}

function pdf(title: string, contents: readonly string[]): Buffer {
  const firstPage = 5
  const ids = contents.map((_, i) => firstPage + 2 * i)
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${contents.length} /Kids [${ids.map(id => `${id} 0 R`).join(' ')}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    `<< /Title (${title}) /Author (Farebox samples) >>`,
    ...contents.flatMap((content, i) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${firstPage + 2 * i + 1} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    ]),
  ]
  let file = '%PDF-1.4\n'
  const places = objects.map((object, i) => {
    const at = file.length
    file += `${i + 1} 0 obj\n${object}\nendobj\n`
    return at
  })
  const table = places.map(at => `${String(at).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  return Buffer.from(
    `${file}xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} /Root 1 0 R /Info 4 0 R >>\nstartxref\n${file.length}\n%%EOF\n`,
    'latin1',
  )
}
