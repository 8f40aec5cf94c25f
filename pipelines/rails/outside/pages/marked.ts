/**
 * Writes raised and lowered letters of a rendered page as text. The browser marks them: its own text of a page joins them
 * with the number before.
 */
import { fractionText, longestScript, mostBefore, scriptText } from '../../formats/scripts.ts'

/** In the order of a script: its kind, its text, its end. No page may write them itself. */
export const marks = { sup: '\uE0F0', sub: '\uE0F1', note: '\uE0F2', end: '\uE0F3' } as const

const script = /([\uE0F0\uE0F1])(\uE0F2?)([^\uE0F0-\uE0F3]{0,200})\uE0F3/g
const lower = /^\s?[/⁄∕]\s?\uE0F1\uE0F2?\s?(\d{1,4})\s?\uE0F3/
const any = /[\uE0F0-\uE0F3]/g
const mostFraction = 20
const isNumber = /^\d{1,4}$/

export function withoutMarks(marked: string): string {
  const out: string[] = []
  let [before, from] = ['', 0]
  const add = (text: string): void => {
    out.push(text)
    before = (before + text).slice(-mostBefore)
  }
  for (const { index, 0: whole, 1: kind, 2: note, 3: inside = '' } of marked.matchAll(script)) {
    if (index < from) continue
    add(marked.slice(from, index).replace(any, ''))
    from = index + whole.length
    const text = inside.trim()
    const line = before.slice(before.lastIndexOf('\n') + 1)
    const following = marked.slice(from, from + mostFraction)
    const under = kind === marks.sup && isNumber.test(text) ? lower.exec(following) : null
    if (under) {
      add(fractionText(text, under[1] ?? '', line))
      from += under[0].length
    } else if (!text || text.length > longestScript || text.includes('\n')) add(inside)
    else {
      const after = following.replace(any, '').slice(0, 4)
      const isNote = note !== ''
      add(scriptText({ kind: kind === marks.sup ? 'sup' : 'sub', text, before: line, after, isNote }))
    }
  }
  return out.join('') + marked.slice(from).replace(any, '')
}
