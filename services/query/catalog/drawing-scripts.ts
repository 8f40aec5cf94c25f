/** What draws an answer, for browsers: the files that draw here too, without their types. A browser loads them when somebody has an answer. */
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Failure } from '../../offer/errors.ts'
import type { Origin, ServedPage } from '../../offer/origin.ts'

const root = new URL('../../', import.meta.url).href
const drawer = new URL('../face/drawn.ts', import.meta.url).href
const folder = '/drawn/'

const pathOf = (file: string): string => folder + file.slice(root.length)
export const drawerPath = pathOf(drawer)
/** Where a browser finds what an origin says of its drawings. */
export const drawingsPath = ({ drawings }: Pick<Origin, 'drawings'>): string | undefined =>
  drawings && pathOf(drawings.at)

/** Node calls what removes types experimental with each start. It runs them, too, and says nothing of that. */
function stripped(text: string): string {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return stripTypeScriptTypes(text)
  } finally {
    process.emitWarning = emitWarning
  }
}

/** A file and all that it imports, by their paths. Types are gone by then. */
function withImports(file: string, known: Map<string, string>): void {
  if (known.has(pathOf(file)) || !file.startsWith(root)) return
  const script = stripped(readFileSync(fileURLToPath(file), 'utf8'))
  known.set(pathOf(file), script)
  for (const [, name = ''] of script.matchAll(/\bfrom '(\.[^']+)'/g))
    withImports(new URL(name, file).href, known)
}

export function drawingScripts(): ServedPage {
  const scripts = new Map<string, string>()
  return {
    path: `${folder}*`,
    answer: ({ path, origins }) => {
      for (const file of [drawer, ...origins.flatMap(({ drawings }) => drawings?.at ?? [])])
        withImports(file, scripts)
      const body = scripts.get(path)
      if (body === undefined) throw new Failure('not_found')
      return { type: 'text/javascript; charset=utf-8', body }
    },
  }
}
