/** Texts of strangers in one form of Unicode. */

/** No writing has more on one letter. This is the bound of the Stream-Safe Text Format (UAX 15). */
const mostMarks = 30
const tooMany = new RegExp(`(\\p{M}{${mostMarks}})\\p{M}+`, 'gu')

/**
 * Marks in one run beyond that bound are left out: to bring them into order takes the square of their number, and 200,000 of
 * them, a text of 400 KB, take a minute.
 */
export const normalised = (text: string, form: 'NFC' | 'NFKD'): string =>
  text.replace(tooMany, '$1').normalize(form)
