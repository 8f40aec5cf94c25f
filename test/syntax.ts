/** The code as a parser sees it. */
import { parseAst } from 'rolldown/parseAst'

export interface Node {
  type: string
  start: number
  end: number
  [field: string]: unknown
}

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'

export const treeOf = (text: string): Node => parseAst(text, { lang: 'ts' }) as unknown as Node

export const partsOf = (node: Node): Node[] => Object.values(node).flat().filter(isNode)

/** The node, then all within. */
export function* within(node: Node): Generator<Node> {
  yield node
  for (const part of partsOf(node)) yield* within(part)
}
