/** How an answer is drawn: an origin says what its operations show, as data. The page draws it, here and in the browser. */

interface Told {
  /** What it shows, in a few words. */
  title: string
  /** What to know before it is read. */
  note?: string
}

/** One value, and the cells that its row of the table has behind it. */
export interface Mark {
  /** Where it stands: a day, a quarter, a name. */
  at: string
  value: number
  more?: readonly string[]
  /** It is of another kind than those beside it, such as a sum of them. */
  isOther?: boolean
}

/** `line`: over time. `bars`: side by side, in their order. `ranked`: the largest first, each with its name. */
export interface Marks extends Told {
  kind: 'line' | 'bars' | 'ranked'
  /** The head of the column that says where, and of the values. */
  when: string
  what: string
  unit?: string
  marks: readonly Mark[]
  /** The heads of what `more` holds. */
  more?: readonly string[]
}

export interface CurvePoint {
  x: number
  y: number
}

/** A curve over numbers, on which some points are known. */
export interface Curve extends Told {
  kind: 'curve'
  across: string
  what: string
  acrossUnit?: string
  unit?: string
  curve: readonly CurvePoint[]
  known: readonly (CurvePoint & { name: string })[]
}

export interface DrawnSpan {
  name: string
  /** Moments as ISO 8601. */
  from: string
  to: string
  words: string
  tone?: 'good' | 'warn' | 'bad'
}

export interface Spans extends Told {
  kind: 'spans'
  /** The heads of the names and of the words. */
  who: string
  what: string
  spans: readonly DrawnSpan[]
}

/** Each is made of the one before it, such as the way from a leaf of a tree to its root. */
export interface Steps extends Told {
  kind: 'steps'
  steps: readonly {
    name: string
    value: string
    /** What comes to it from beside. */
    beside?: string
  }[]
}

export interface DrawnPicture extends Told {
  kind: 'picture'
  type: string
  base64: string
  width: number
  height: number
}

export type Drawing = Marks | Curve | Spans | Steps | DrawnPicture

export type AnswerFields = Readonly<Record<string, unknown>>

/** What an origin draws, by the id of the operation, and the file that says it: `import.meta.url`. A browser loads the same file. */
export interface Drawings {
  at: string
  of: Readonly<Record<string, (answer: AnswerFields) => readonly Drawing[]>>
}

const isFields = (value: unknown): value is AnswerFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Strangers have written what is in an answer, so nothing of it is taken for what it should be. */
export const fieldsOf = (value: unknown): AnswerFields => (isFields(value) ? value : {})
export const rowsOf = (value: unknown): readonly AnswerFields[] =>
  Array.isArray(value) ? value.filter(isFields) : []
/** A name of a field or a code, as people write it. */
export const words = (name: string): string => name.replaceAll('_', ' ')

export const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter(each => typeof each === 'string') : []
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : Number.isFinite(value) ? String(value) : ''
/** NaN where it is no number. */
export const numberOf = (value: unknown): number =>
  typeof value === 'number' || (typeof value === 'string' && value.trim() !== '') ? Number(value) : Number.NaN
const full = new Intl.NumberFormat('en', { maximumSignificantDigits: 15 })
/** As people write a number. */
export const figure = (value: number): string => full.format(value)
/** The same of a field; nothing where it is no number. */
export const amountOf = (value: unknown): string => {
  const amount = numberOf(value)
  return Number.isNaN(amount) ? '' : figure(amount)
}
/** Its days in their order. */
export const inOrder = (marks: readonly Mark[]): Mark[] =>
  marks.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
