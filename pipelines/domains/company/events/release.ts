/** Finds the press release of a filing on its index page. */

/** Rows and cells of an index have end tags. Text after the last end tag is not a row. */
const rowEnd = /<\/tr>/i
const cellBegin = /<td\b/i
const link = /href="([^"]+)"/i

/** The path of the first EX-99, EX-99.1 or EX-99.01 in text form. Undefined if the filing has none. */
export function releaseIn(index: string, folder: string): string | undefined {
  for (const cells of index.split(rowEnd)) {
    const texts = cells.split(cellBegin).map(cell => cell.replace(/^[^>]*>|<\/td>.*/gis, '').trim())
    if (!texts.some(text => /^EX-99(\.0?1)?$/i.test(text))) continue
    const path = link.exec(cells)?.[1]?.replace(/^\/ix\?doc=/, '')
    // A page in another folder belongs to another filing.
    if (path?.startsWith(`${folder}/`) && /\.(html?|txt)$/i.test(path)) return path
  }
  return undefined
}
