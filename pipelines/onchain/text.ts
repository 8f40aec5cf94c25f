/** Texts that strangers put on a chain: names and symbols of tokens. */

const mostCharacters = 100
/** Control, format (bidirectional ones are among them), private and unassigned characters, and lone surrogates. */
const hidden = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\u2028\u2029]/gu

/** `odd`: the text was empty, too long, or held characters that do not show. */
export function cleaned(text: string): { text: string | null; odd: boolean } {
  const plain = text.replace(hidden, '').trim()
  const short = Array.from(plain).slice(0, mostCharacters).join('')
  return { text: short === '' ? null : short, odd: short !== text.trim() || short === '' }
}
