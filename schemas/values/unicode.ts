/** Brings the texts of strangers into one form of Unicode. */

/** No script puts more marks on one letter. This is the bound of the Stream-Safe Text Format (UAX 15). */
const mostMarks = 30
const tooMany = new RegExp(`(\\p{M}{${mostMarks}})\\p{M}+`, 'gu')

/**
 * Removes further marks of a run beyond that bound: sorting them takes the square of their number, and 200,000 of
 * them, a text of 400 KB, take a minute.
 */
export const normalised = (text: string, form: 'NFC' | 'NFKD'): string =>
  text.replace(tooMany, '$1').normalize(form)
