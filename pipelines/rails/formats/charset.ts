/** Reads the bytes of a document as text. */
import type { Page } from '../outside/pages/page.ts'

const lookedAt = 4096
const declared =
  /<meta[^>]{0,300}?charset\s*=\s*["']?\s*([a-z0-9_:.-]+)|<\?xml[^>]{0,200}?encoding\s*=\s*["']([a-z0-9_:.-]+)/i

/** Decides the charset by the byte order mark, then by bytes that only UTF-8 has, then by the header or the document. */
export function textOf({ bytes, charset }: Pick<Page, 'bytes' | 'charset'>): string {
  const marked = byMark(bytes)
  if (marked) return decoded(bytes, marked)
  const start = bytes.subarray(0, lookedAt).toString('latin1')
  const [, meta, xml] = declared.exec(start) ?? []
  const said = [charset, meta, xml].map(known).find(label => label !== undefined)
  // Headers are often wrong. Text in another charset is hardly ever valid UTF-8 by chance.
  if (said !== 'utf-8' && isUtf8(bytes) && (said === undefined || hasWide(bytes)))
    return decoded(bytes, 'utf-8')
  return decoded(
    bytes,
    said === 'utf-8' && !isUtf8(bytes) ? (known(meta ?? xml) ?? 'utf-8') : (said ?? 'windows-1252'),
  )
}

/** The document may be cut in the middle of a letter. */
const decoded = (bytes: Buffer, label: string): string => new TextDecoder(label).decode(bytes)

function byMark(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  return undefined
}

function known(label: string | undefined): string | undefined {
  if (label === undefined) return undefined
  try {
    const { encoding } = new TextDecoder(label)
    // In UTF-16 this declaration would not be readable, so the document is in another charset.
    return encoding.startsWith('utf-16') ? 'utf-8' : encoding
  } catch {
    return undefined
  }
}

/** If the last letter is cut, an earlier letter must show that the text is UTF-8. */
const isUtf8 = (bytes: Buffer): boolean =>
  decodes(bytes, false) || (hasWide(bytes.subarray(0, -3)) && decodes(bytes, true))

function decodes(bytes: Buffer, stream: boolean): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream })
    return true
  } catch {
    return false
  }
}

const hasWide = (bytes: Buffer): boolean => bytes.some(byte => byte > 127)
