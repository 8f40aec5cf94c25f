/** A formula of MathML as a line of text: `E=mc^2`, `1/2`, `√(x+1)`. */

/** The part of an element that a formula needs. */
export interface FormulaElement {
  readonly tagName: string
  readonly textContent: string | null
  readonly firstElementChild: FormulaElement | null
  readonly nextElementSibling: FormulaElement | null
  getAttribute(name: string): string | null
}

/** A longer formula is cut. */
const longest = 4_000

const unwritten = /^(?:ANNOTATION|ANNOTATION-XML|MPHANTOM|MSPACE|MALIGNGROUP|MALIGNMARK|MPRESCRIPTS)$/
/** Operators without a visible sign: multiplication, the application of a function, a comma and a plus. */
const invisible = /[\u2061-\u2063]/g

export function formulaText(math: FormulaElement): string {
  return written(math).replace(/\s+/g, ' ').trim().slice(0, longest)
}

/** Apart from the words and numbers beside it. */
export function formulaBeside(text: string, before: string, after: string, isBlock: boolean): string {
  const [left, right] = [/[\p{L}\p{N}]$/u.test(before), /^[\p{L}\p{N}]/u.test(after)]
  return `${left || isBlock ? ' ' : ''}${text}${right || isBlock ? ' ' : ''}`
}

/** What a page hides as a formula may be prose for machines. */
export const isProse = (formula: string): boolean => (formula.match(/\p{L}{3,}/gu)?.length ?? 0) > mostWords
const mostWords = 12

function written(element: FormulaElement): string {
  const tag = element.tagName.toUpperCase()
  if (unwritten.test(tag)) return ''
  const parts = childrenOf(element)
  const [base = '', second = '', third = ''] = parts
  switch (tag) {
    case 'MFRAC':
      return `${grouped(base)}/${grouped(second)}`
    case 'MSUP':
    case 'MOVER':
      return isAccent(second) ? base : `${grouped(base)}^${grouped(second)}`
    case 'MSUB':
    case 'MUNDER':
      return `${base}_${grouped(second)}`
    case 'MSUBSUP':
    case 'MUNDEROVER':
      return `${base}_${grouped(second)}^${grouped(third)}`
    case 'MSQRT':
      return `√${grouped(parts.join(''))}`
    case 'MROOT':
      return `${grouped(base)}^(1/${grouped(second)})`
    case 'MFENCED':
      return `${element.getAttribute('open') ?? '('}${parts.join(', ')}${element.getAttribute('close') ?? ')'}`
    case 'MTR':
    case 'MLABELEDTR':
      return parts.join(', ')
    case 'MTABLE':
      return parts.join('; ')
    case 'MO':
    case 'MI':
    case 'MN':
    case 'MTEXT':
    case 'MS':
      return (element.textContent ?? '')
        .replace(/\u2064/g, '+')
        .replace(invisible, ' ')
        .trim()
    default:
      return run(parts)
  }
}

/** Joins the parts, and keeps two numbers apart. */
function run(parts: readonly string[]): string {
  let text = ''
  let isWhole = true
  for (const part of parts) {
    if (!part) continue
    const isOne = /^(?:\p{L}|[\d.,]+)$/u.test(part)
    const meets = /[\p{L}\p{N}]$/u.test(text.slice(-2)) && /^[\p{L}\p{N}√]/u.test(part)
    const numbers = /\d$/.test(text.slice(-1)) && /^\d/.test(part)
    text += meets && (numbers || !isWhole || !isOne) ? ` ${part}` : part
    isWhole = isOne
  }
  return text
}

function childrenOf(element: FormulaElement): string[] {
  const parts: string[] = []
  for (let child = element.firstElementChild; child; child = child.nextElementSibling) {
    const tag = child.tagName.toUpperCase()
    if (!unwritten.test(tag)) parts.push(written(child))
  }
  return parts
}

const isAccent = (text: string): boolean => /^(?:\u0302|\u0305|[\u00AF\u02C6\u02D9^~¨‾→_-])$/.test(text)

const grouped = (text: string): string => (/^(?:\p{L}+|[\d.,]+|\(.*\)|∞)?$/su.test(text) ? text : `(${text})`)
