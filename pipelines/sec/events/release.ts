/** Finds the press release of a filing on its index page. */

const row = /<tr\b[^>]*>([\s\S]*?)<\/tr>/gi
const cell = /<td\b[^>]*>([\s\S]*?)<\/td>/gi
const link = /href="([^"]+)"/i

/** The path of the first EX-99, EX-99.1 or EX-99.01 that is a text. Undefined: the filing has none. */
export function releaseIn(index: string, folder: string): string | undefined {
  for (const [, cells = ''] of index.matchAll(row)) {
    const texts = [...cells.matchAll(cell)].map(([, text = '']) => text)
    if (!texts.some(text => /^\s*EX-99(\.0?1)?\s*$/i.test(text))) continue
    const path = link.exec(cells)?.[1]?.replace(/^\/ix\?doc=/, '')
    // A page of another folder would be another filing's.
    if (path?.startsWith(`${folder}/`) && /\.(html?|txt)$/i.test(path)) return path
  }
  return undefined
}
