/** Lists the files of the code and of its tests, with the imports of each. */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import manifest from '../package.json' with { type: 'json' }

export const read = (file: string): string => readFileSync(file, 'utf8')
export const files = globSync('{schemas,pipelines,services}/**/*.ts')
export const testFiles = globSync('test/**/*.test.ts')
/** What the tests share. */
export const testPieces = globSync('test/**/*.ts').filter(file => !file.endsWith('.test.ts'))

const importLine = /^(?:import|export)\s(?:[^'"]*?\sfrom\s)?['"]([^'"]+)['"]|import\(['"]([^'"]+)['"]\)/gm

export interface Edge {
  file: string
  /** The path of the file for a relative import or one of farebox, and the plain name for any other. */
  to: string
  /** The import is a call, which loads the file when it runs. */
  lazy: boolean
}

/** What this tree publishes as farebox lies in it, and is imported by that name. */
const ofPackage = (name: string): string =>
  normalize((manifest.exports as Record<string, string>)[name.replace(/^farebox(?=\/|$)/, '.')] ?? name)

/** It counts imports of types too. */
const edgesFrom = (file: string): Edge[] =>
  [...read(file).matchAll(importLine)].map(match => {
    const to = (match[1] ?? match[2]) as string
    return {
      file,
      to: to.startsWith('.') ? normalize(join(dirname(file), to)) : ofPackage(to),
      lazy: match[2] !== undefined,
    }
  })

export const importsOf = (file: string): string[] => edgesFrom(file).map(({ to }) => to)
export const edges = files.flatMap(edgesFrom)

/** Finds circles: groups of files that all import each other, directly or through others (Tarjan). */
export function circles(): string[][] {
  const next = Map.groupBy(edges, ({ file }) => file)
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const path: string[] = []
  const found: string[][] = []
  const visit = (file: string): number => {
    order.set(file, order.size)
    lowest.set(file, order.get(file) as number)
    path.push(file)
    for (const { to } of next.get(file) ?? []) {
      if (!order.has(to)) lower(file, visit(to))
      else if (path.includes(to)) lower(file, order.get(to) as number)
    }
    if (lowest.get(file) === order.get(file)) {
      const group = path.splice(path.indexOf(file))
      if (group.length > 1) found.push(group.sort())
    }
    return lowest.get(file) as number
  }
  const lower = (file: string, to: number) => lowest.set(file, Math.min(lowest.get(file) as number, to))
  for (const file of files) if (!order.has(file)) visit(file)
  return found
}

const names =
  /^(?:import|export)\s+(?:type\s+)?(?:(\*)[^'"]*|(?:\w+,?\s*)?(?:\{([^}]*)\})?)\s+from\s+'(\.[^']+)'|import\('(\.[^']+)'\)/gm
const declaredNames =
  /^export (?:declare |async |abstract )*(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm

/** Names that a file exports and no other file imports. Tests count as others. */
export function unusedExports(): string[] {
  const taken = new Set<string>()
  for (const file of [...files, ...testFiles, ...testPieces])
    for (const [, star, list = '', from = '', lazy] of read(file).matchAll(names)) {
      const to = normalize(join(dirname(file), lazy ?? from))
      // A file that imports another one whole may use any of its names.
      if (star || lazy) taken.add(to)
      for (const name of list.split(','))
        taken.add(
          `${to}: ${name
            .trim()
            .replace(/^type /, '')
            .replace(/ as .*/, '')}`,
        )
    }
  return files
    .filter(file => !taken.has(file))
    .flatMap(file => [...read(file).matchAll(declaredNames)].map(([, name]) => `${file}: ${name}`))
    .filter(place => !taken.has(place))
}
