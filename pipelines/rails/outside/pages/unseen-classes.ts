/**
 * The classes and ids that a page itself hides, and that nothing of the page shows again: no other rule, no script, and no more than
 * a few elements have them. An order to a machine is hidden so; the parts of a menu or of questions are hidden by a name that many share.
 */
import { type Declarations, declarationsIn, rulesIn } from './style-rules.ts'

const [mostElements, mostNames] = [3, 200]
const ways: readonly { property: string; hides: RegExp }[] = [
  { property: 'display', hides: /^none$/ },
  { property: 'visibility', hides: /^(?:hidden|collapse)$/ },
  { property: 'opacity', hides: /^(?:0|0?\.0[0-4]?|0\.0[0-4]\d{0,2})%?$/ },
  {
    property: 'font-size',
    hides: /^(?:calc\(\s?)?[01]?(?:\.\d{1,3})?(?:px|pt)?(?:\s?\))?$|^0(?:\.0\d{0,3})?(?:r?em|%)$/,
  },
]
/** What moves or fades is seen later. */
const moves = /^(?:-webkit-)?(?:transform|transition|animation|will-change)/
const alone = /^[.#][a-z_][\w-]{0,80}$/i
const name = /[.#](?:[\w-]|\\.){1,80}/g
const attribute = /\s(class|id)\s{0,3}=\s{0,3}(?:"([^"<>]{1,600})"|'([^'<>]{1,600})'|([^\s"'<>]{1,100}))/gi
/** A script begins here, or ends. */
const script = /(?=<\/?script[\s>])/i
const inScript = /[a-z_][\w-]{0,80}/gi

export interface UnseenClasses {
  /** `.class` and `#id`. */
  names: ReadonlySet<string>
  /** Names of which a rule shows what has them. */
  showing: ReadonlySet<string>
}

export function unseenClassesIn(html: string): UnseenClasses {
  const { hidden, showing } = judged(html)
  if (hidden.size) {
    for (const said of saidInScripts(html)) for (const sign of '.#') hidden.delete(sign + said)
    for (const [each, count] of countsOf(html, hidden)) if (count > mostElements) hidden.delete(each)
  }
  return { names: new Set(hidden), showing }
}

/** Whether what is called so is hidden, and by none of its names shown. */
export const isUnseenClass = (called: readonly string[], { names, showing }: UnseenClasses): boolean =>
  called.some(each => names.has(each)) && !called.some(each => showing.has(each))

/** A rule shows again what an earlier one hides, and so does one for a state, a screen or a place. */
function judged(html: string): { hidden: Set<string>; showing: ReadonlySet<string> } {
  const hidden = new Map<string, Set<string>>()
  const showing = new Set<string>()
  for (const { selector, style, depth } of rulesIn(html)) {
    const told = declarationsIn(style)
    const names = (selector.match(name) ?? []).map(each => each.replaceAll('\\', ''))
    const [hides, shows] = [doneBy(told, true), doneBy(told, false)]
    const isMoving = [...told.keys()].some(each => moves.test(each))
    for (const part of selector.split(','))
      if (hides.length && depth === 1 && alone.test(part.trim()) && hidden.size < mostNames)
        hidden.set(part.trim(), new Set([...(hidden.get(part.trim()) ?? []), ...hides]))
    if (shows.length || isMoving) for (const each of names) showing.add(each)
    for (const each of names)
      if (isMoving || shows.some(property => hidden.get(each)?.has(property))) hidden.delete(each)
  }
  return { hidden: new Set(hidden.keys()), showing }
}

const doneBy = (told: Declarations, isHiding: boolean): string[] =>
  ways.flatMap(({ property, hides }) => {
    const value = told.get(property)
    return value !== undefined && hides.test(value) === isHiding ? [property] : []
  })

function saidInScripts(html: string): ReadonlySet<string> {
  const said = new Set<string>()
  for (const piece of html.split(script))
    if (/^<script/i.test(piece)) for (const [word] of piece.matchAll(inScript)) said.add(word)
  return said
}

function countsOf(html: string, names: ReadonlySet<string>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const [, kind, double, single, bare] of html.matchAll(attribute))
    for (const each of (double ?? single ?? bare ?? '').split(/\s+/)) {
      const called = (/^class$/i.test(kind ?? '') ? '.' : '#') + each
      if (names.has(called)) counts.set(called, (counts.get(called) ?? 0) + 1)
    }
  return counts
}
