/** The regular expressions in the code, found by a parser. */
import { resolve } from 'node:path'
import { files, read } from '../imports.ts'
import { isNode, type Node, treeOf, within } from '../syntax.ts'

export interface Pattern {
  file: string
  source: string
  flags: string
}

export interface Source {
  literals: Pattern[]
  /** The files that make some at run time. */
  making: string[]
}

export function readSource(): Source {
  const found: Source = { literals: [], making: [] }
  for (const file of files)
    for (const node of within(treeOf(read(file)))) {
      const { pattern, flags } = (node.regex ?? {}) as { pattern?: string; flags?: string }
      if (pattern !== undefined) found.literals.push({ file, source: pattern, flags: flags ?? '' })
      if (makesOne(node) && !found.making.includes(file)) found.making.push(file)
    }
  return found
}

const makesOne = ({ type, callee }: Node): boolean =>
  /^(New|Call)Expression$/.test(type) && isNode(callee) && callee.name === 'RegExp'

/** Those that files make while they are loaded. What they make for each question stands in no list, and is refused elsewhere. */
export async function made(files: readonly string[]): Promise<Pattern[]> {
  const found: Pattern[] = []
  const Original = globalThis.RegExp
  let file = ''
  globalThis.RegExp = new Proxy(Original, {
    construct(target, given) {
      const one = new target(...(given as [string, string]))
      const from = new Error().stack?.split('\n')[2] ?? ''
      if (from.includes(resolve(file))) found.push({ file, source: one.source, flags: one.flags })
      return one
    },
  })
  try {
    for (file of files) await import(resolve(file))
  } finally {
    globalThis.RegExp = Original
  }
  return found
}
