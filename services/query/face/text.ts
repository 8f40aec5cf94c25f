/** Text as HTML. */
export { words } from '../../offer/drawing.ts'

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
export const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, character => escapes[character] as string)

/** Text of a declaration, which marks names with backticks. */
export const prose = (text: string): string => escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>')

/** A whole number, as people write it. */
export const whole = (count: number): string => count.toLocaleString('en')

export const docsPath = (path: string): string => `/docs${path}`
/** Where the page of an operation, or that of all of them, tells of a code. */
export const refusalId = (code: string): string => `code-${escaped(code)}`

export const linkTo = (path: string, text: string): string =>
  `<a href="${escaped(path)}">${escaped(text)}</a>`

/** A text in a box of its own, which scrolls where it is too wide. `form`: how the question stands in it, so that it can follow. */
export const code = (text: string, form?: string): string =>
  `<pre tabindex="0"${form ? ` data-asks="${form}"` : ''}><code>${escaped(text)}</code></pre>`
