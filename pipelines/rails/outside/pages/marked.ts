/**
 * Writes raised and lowered letters of a rendered page as text. The browser marks them: its own text of a page joins them
 * with the number before.
 */
import { formulaBeside, isProse } from '../../formats/formula.ts'
import { formulaIn } from '../../formats/formula-markup.ts'
import { fractionText, longestScript, mostBefore, scriptText } from '../../formats/scripts.ts'

/**
 * In the order of a script: its kind, its text, its end. `formula` has markup of MathML as its text, and `note` where the page
 * shows a copy of it. No page may write them itself.
 */
export const marks = {
  sup: '\uE0F0',
  sub: '\uE0F1',
  note: '\uE0F2',
  end: '\uE0F3',
  formula: '\uE0F4',
} as const

/**
 * Attributes in the HTML of a rendered page: the number of letters of an element that nobody sees, whatever style sheet hides
 * them, and whether it is raised or lowered.
 */
export const [unseenMark, raisedMark] = ['data-farebox-unseen', 'data-farebox-raised'] as const

/** The number of letters of a rendered page that nobody sees. */
export function unseenLetters(html: string): number {
  let letters = 0
  for (const [, count] of html.matchAll(/\sdata-farebox-unseen=(?:"|&quot;)(\d{1,6})/g))
    letters += Number(count)
  return letters
}

const formula = /\uE0F4(\uE0F2?)([^\uE0F0-\uE0F4]{0,5000})\uE0F3/g

const script = /([\uE0F0\uE0F1])(\uE0F2?)([^\uE0F0-\uE0F3]{0,200})\uE0F3/g
const lower = /^\s?[/⁄∕]\s?\uE0F1\uE0F2?\s?(\d{1,4})\s?\uE0F3/
const any = /[\uE0F0-\uE0F4]/g
const mostFraction = 20
const isNumber = /^\d{1,4}$/

export const withoutMarks = (marked: string): string => withoutScripts(withoutFormulas(marked))

const withoutFormulas = (marked: string): string =>
  marked.replace(formula, (whole: string, note: string, markup: string, at: number) => {
    const text = formulaIn(markup)
    const [before, after] = [marked[at - 1] ?? '', marked[at + whole.length] ?? '']
    const isBlock = /^<math\s[^<>]{0,300}display\s?=\s?["']?block/i.test(markup)
    return note && isProse(text) ? '' : formulaBeside(text, before, after, isBlock)
  })

function withoutScripts(marked: string): string {
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
