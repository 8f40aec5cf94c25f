/**
 * Cuts off the end of a text. By hand: a regular expression tries each place of a long run again, which takes the
 * square of its length.
 */

/** Removes these characters from the end of a text. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text[end - 1] as string)) end--
  return text.slice(0, end)
}
