/** The small changes of a file that a test should notice: one operator, one condition, one statement, one field at a time. */
import { isNode, type Node, treeOf } from '../syntax.ts'

/** The text between `start` and `end` becomes `to`. */
export interface Change {
  start: number
  end: number
  to: string
  /** Inside of a function. What a module computes once is better left as it is. */
  isInside: boolean
}

const others: Record<string, readonly string[]> = {
  ...{ '<': ['<=', '>='], '<=': ['<', '>'], '>': ['>=', '<='], '>=': ['>', '<'] },
  ...{
    '===': ['!=='],
    '!==': ['==='],
    '+': ['-'],
    '-': ['+'],
    '*': ['/'],
    '/': ['*'],
    '<<': ['>>'],
    '%': ['*'],
  },
}
const opposites: Record<string, string> = { min: 'max', max: 'min', some: 'every', every: 'some' }
const skippable = ['filter', 'slice', 'toLowerCase', 'sort', 'toSorted', 'reverse', 'catch', 'unref']
const nothing = '(undefined as any)'

interface Place {
  node: Node
  up: Node | undefined
  /** The text of a node. */
  said: (node: unknown) => string
}

/** What may stand in the place of a whole node, by its type. */
const instead: Record<string, (place: Place) => readonly string[]> = {
  BinaryExpression({ node, said }) {
    const operator = String(node.operator)
    if (operator === '+' && /['"`]/.test(said(node))) return []
    return (others[operator] ?? []).map(to => `(${said(node.left)} ${to} ${said(node.right)})`)
  },
  LogicalExpression({ node, said }) {
    const [left, right] = [said(node.left), said(node.right)]
    if (node.operator === '??') return [`((${left}) as any)`, `((${right}) as any)`]
    return [`((${left}) ${node.operator === '&&' ? '||' : '&&'} (${right}))`, `(${left})`, `(${right})`]
  },
  ConditionalExpression: ({ node, said }) => [`(${said(node.consequent)})`, `(${said(node.alternate)})`],
  UnaryExpression: ({ node, said }) =>
    /[!-]/.test(String(node.operator)) ? [`(${said(node.argument)})`] : [],
  ExpressionStatement: ({ node, said }) => (said(node).startsWith('super') ? [] : [';']),
  ReturnStatement: ({ node, said }) =>
    node.argument && said(node.argument) !== 'undefined' ? ['return undefined as any'] : [';'],
  ContinueStatement: () => [';'],
  ThrowStatement: () => [';'],
  AwaitExpression: ({ node, said }) => [`(${said(node.argument)})`],
  Literal: ({ node: { value } }) => {
    if (typeof value === 'number') return [String(value + 1)]
    return typeof value === 'boolean' ? [String(!value)] : []
  },
  Property: ({ up }) => (up?.type === 'ObjectExpression' ? ['...{}'] : []),
  SpreadElement: ({ up }) => [up?.type === 'ObjectExpression' ? '...{}' : '...[]'],
  CallExpression({ node, said }) {
    const callee = node.callee as Node
    if (callee.type !== 'MemberExpression') return []
    const name = String((callee.property as Node).name)
    if (skippable.includes(name)) return [`(${said(callee.object)})`]
    const opposite = Object.hasOwn(opposites, name) ? opposites[name] : undefined
    return opposite ? [said(node).replace(`.${name}`, `.${opposite}`)] : []
  },
}

/** A condition is always true, or never. A function of one expression gives nothing. */
function within({ type, test, body }: Node): { part: Node; to: string }[] {
  if (type === 'IfStatement') return ['true', 'false'].map(to => ({ part: test as Node, to }))
  const isShort = type === 'ArrowFunctionExpression' && (body as Node).type !== 'BlockStatement'
  return isShort ? [{ part: body as Node, to: nothing }] : []
}

/** Types are gone when the file runs. */
const isType = ({ type }: Node): boolean => /^(TS(Type|Interface)|ImportDeclaration)/.test(type)

/** All changes, in the order of the file. */
export function changesOf(text: string): Change[] {
  const found: Change[] = []
  const said = (node: unknown) => (isNode(node) ? text.slice(node.start, node.end) : '')
  const visit = (node: Node, up: Node | undefined, isInside: boolean): void => {
    if (isType(node)) return
    const add = ({ start, end }: Node, to: string) => void found.push({ start, end, to, isInside })
    for (const to of instead[node.type]?.({ node, up, said }) ?? []) add(node, to)
    for (const { part, to } of within(node)) add(part, to)
    const isBody = node.type === 'BlockStatement' || node.type === 'FunctionBody'
    for (const [name, value] of Object.entries(node))
      for (const part of [value].flat().filter(isNode)) {
        const isShort = name === 'body' && node.type === 'ArrowFunctionExpression'
        visit(part, node, isInside || isBody || isShort)
      }
  }
  visit(treeOf(text), undefined, false)
  return found
}

/** In a random order. The same seed gives the same. */
export function shuffled<T>(all: readonly T[], seed: number): T[] {
  const left = [...all]
  let state = seed
  // Mulberry32, which needs no more than a number.
  const random = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  for (let last = left.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1))
    ;[left[last], left[other]] = [left[other] as T, left[last] as T]
  }
  return left
}
