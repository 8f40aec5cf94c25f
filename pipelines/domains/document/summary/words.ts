/** The words of a text in any script. */

/** Scripts that write without spaces between words. */
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u
const spaced = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:['’.,-][\p{L}\p{N}][\p{L}\p{M}\p{N}]*)*/gu
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' })

export function wordsOf(text: string): string[] {
  if (!unspaced.test(text)) return text.match(spaced) ?? []
  const words: string[] = []
  for (const { segment, isWordLike } of segmenter.segment(text)) if (isWordLike) words.push(segment)
  return words
}

export const wordCount = (text: string): number => wordsOf(text).length
