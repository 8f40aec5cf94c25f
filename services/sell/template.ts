/** A text of the file with names in it: `{station}` is a field of the question, `${TIDES_TOKEN}` a variable. No language beyond names. */

export type NamedPiece = { text: string } | { field: string } | { variable: string }

const named = /\$\{(?<variable>\w+)\}|\{(?<field>\w+)\}/g

export function piecesOf(text: string): NamedPiece[] {
  const pieces: NamedPiece[] = []
  let end = 0
  for (const { index, 0: whole, groups } of text.matchAll(named)) {
    if (index > end) pieces.push({ text: text.slice(end, index) })
    end = index + whole.length
    pieces.push(groups?.field ? { field: groups.field } : { variable: groups?.variable ?? '' })
  }
  if (end < text.length) pieces.push({ text: text.slice(end) })
  return pieces
}

export type Question = Readonly<Record<string, unknown>>

/** Writes a text. `write` encodes what stands for a name: nothing of it may become a part of the text's own form. */
export function filled(
  pieces: readonly NamedPiece[],
  { question, secrets }: { question: Question; secrets: ReadonlyMap<string, string> },
  write: (value: string) => string = value => value,
): string {
  return pieces
    .map(piece => {
      if ('text' in piece) return piece.text
      return write('field' in piece ? textOf(question[piece.field]) : (secrets.get(piece.variable) ?? ''))
    })
    .join('')
}

/** A value as text. A field that stands in a text is a text, a number, or true or false. */
export function textOf(value: unknown): string {
  if (Object.is(value, -0)) return '0'
  return String(value)
}

export const fieldsIn = (pieces: readonly NamedPiece[]): string[] =>
  pieces.flatMap(piece => ('field' in piece ? piece.field : []))

export const variablesIn = (pieces: readonly NamedPiece[]): string[] =>
  pieces.flatMap(piece => ('variable' in piece ? piece.variable : []))
