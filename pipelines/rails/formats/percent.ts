/** Decodes percent signs. A stranger wrote the text, so a text that cannot be decoded stays as it is. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
