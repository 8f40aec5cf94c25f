/** Finds the functions of a file and how many lines each has, by a parser. */
import { isNode, type Node, partsOf, treeOf } from './syntax.ts'

export interface Measured {
  /** Its own name, or the name of the variable or property that holds it. */
  name: string
  lines: number
}

const nameIn = (node: unknown): string | undefined =>
  isNode(node) && (node.type === 'Identifier' || node.type === 'PrivateIdentifier')
    ? String(node.name)
    : undefined
const isFunction = /^(Function(Declaration|Expression)|ArrowFunctionExpression)$/

/** A function counts with the functions inside it. Its lines are those from its first word to its last sign. */
export function functionsIn(text: string): Measured[] {
  const found: Measured[] = []
  const linesOf = ({ start, end }: Node) => text.slice(start, end).split('\n').length
  const visit = (node: Node, named: string | undefined): void => {
    if (isFunction.test(node.type))
      found.push({ name: nameIn(node.id) ?? named ?? 'a function', lines: linesOf(node) })
    // A variable, a property or a method names the function that is its value.
    const own = nameIn(node.id) ?? nameIn(node.key)
    for (const part of partsOf(node)) visit(part, own ?? named)
  }
  visit(treeOf(text), undefined)
  return found
}
