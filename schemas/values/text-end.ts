/** The end of a text cut off. By hand: a regular expression tries each place of a long run anew, which takes the square of its length. */

/** Without any of these characters at its end. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text[end - 1] as string)) end--
  return text.slice(0, end)
}
