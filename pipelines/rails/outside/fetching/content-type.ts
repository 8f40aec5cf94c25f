/** The type of a body, by its header and by its first bytes. */

export interface ContentType {
  /** Such as `text/html`. Clear first bytes decide, else the header. */
  essence: string
  /** As in the header, in lower case. */
  charset: string | undefined
}

/** The number of bytes that it examines. */
export const sniffedBytes = 1024

const signatures: readonly (readonly [essence: string, hex: RegExp])[] = [
  ['application/pdf', /^(?:efbbbf)?(?:20|09|0a|0d)*255044462d/],
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^47494638(?:37|39)61/],
  ['image/webp', /^52494646.{8}57454250/],
  ['application/zip', /^504b0304/],
  ['application/gzip', /^1f8b08/],
]
const markup = /^\uFEFF?\s*<(?:!doctype html|html|head|body|script|title|meta|div|p|h1|!--)[\s>/-]/i

export function contentType(header: string | undefined, start: Buffer): ContentType {
  const [declared = '', ...parameters] = (header ?? '').toLowerCase().split(';')
  const charset = parameters.map(text => /^\s*charset\s*=\s*"?([^"\s]+)/.exec(text)?.[1]).find(Boolean)
  return { essence: sniffed(start) ?? (essenceForm.exec(declared.trim())?.[0] || guessed(start)), charset }
}

const essenceForm = /^[!#$&^_.+a-z0-9-]+\/[!#$&^_.+a-z0-9-]+$/

function sniffed(start: Buffer): string | undefined {
  const hex = start.toString('hex', 0, 64)
  return signatures.find(([, form]) => form.test(hex))?.[0]
}

const guessed = (start: Buffer): string => {
  if (markup.test(start.toString('utf8'))) return 'text/html'
  return start.includes(0) ? 'application/octet-stream' : 'text/plain'
}
