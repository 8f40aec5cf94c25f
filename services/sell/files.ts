/** The files that SELL names: each becomes an origin beside the built-in ones, or stops the start with the line of every fault. */
import { readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { ConfigError } from '../../pipelines/rails/environment/variables.ts'
import type { Origin } from '../offer/origin.ts'
import { aboutUs, soldBy } from '../query/mcp/tools.ts'
import { codeOriginOf, isCode } from './code/code-origin.ts'
import { originOf, type ReadFile, type SellContext } from './origin.ts'

/** The first parts of the paths that every host has: pages, probes, MCP. No file takes one. */
const doorPaths = [
  ...[
    'docs',
    'drawn',
    'health',
    'metrics',
    'mcp',
    'receipts',
    'market',
    'status',
    'lineage',
    'changelog',
    'sandbox',
    'sell',
  ],
  ...['openapi', 'llms', 'robots', 'sitemap', 'favicon', 'try-it'],
] as const

interface Given {
  set: Readonly<Record<string, string | undefined>>
  asks: boolean
  isOurs(variable: string): boolean
}

/** The origins of the files, in their order. Throws a ConfigError with every fault of all of them. */
export function originsOf(files: readonly string[], built: readonly Origin[], given: Given): Origin[] {
  const sold: Origin[] = []
  const lines: string[] = []
  for (const file of files) {
    const { faults, origin } = readNamed(file, [...built, ...sold], given)
    lines.push(...faults)
    if (origin) sold.push(origin)
  }
  if (lines.length) throw new ConfigError(lines.join('\n'))
  return sold
}

function readNamed(
  file: string,
  others: readonly Origin[],
  given: Given,
): { faults: string[]; origin?: Origin | undefined } {
  try {
    const { faults, origin } = readFile(file, others, given)
    return { faults: faults.map(fault => lineOf(file, fault)), origin }
  } catch (error) {
    if (error instanceof NoFile)
      return { faults: [`SELL names a file that cannot be read: ${error.message}`] }
    throw error
  }
}

export const filesIn = (sell = ''): string[] =>
  sell
    .split(',')
    .map(file => file.trim())
    .filter(Boolean)

export const lineOf = (
  file: string,
  { line, column, message, file: other }: ReadFile['faults'][number],
): string => `${other === undefined ? file : resolve(dirname(file), other)}:${line}:${column} ${message}`

/** Throws NoFile if it is not there itself. Files that it names are faults with their line. */
export function readFile(file: string, others: readonly Origin[], given: Given): ReadFile {
  fileAt(file)
  const beside = (name: string) => contentOf(resolve(dirname(file), name))
  const placeOf = (name: string) => fileAt(resolve(dirname(file), name))
  const context = { ...contextOf(others, given), file, beside, placeOf }
  // A process that answers no question runs no code of it.
  if (isCode(file)) return given.asks ? codeOriginOf(file, context) : { faults: [] }
  return originOf(contentOf(file), context)
}

/** Its message is the whole sentence, and whoever names the file says where. */
class NoFile extends ConfigError {}

function fileAt(file: string): string {
  const isFile = tried(file, () => statSync(file).isFile())
  if (!isFile) throw new NoFile(`${file} is no file`)
  return file
}

const contentOf = (file: string): string => tried(file, () => readFileSync(fileAt(file), 'utf8'))

function tried<T>(file: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof NoFile) throw error
    const { code = '' } = error as NodeJS.ErrnoException
    throw new NoFile(`${file} ${whyNot[code] ?? `cannot be read: ${code}`}`)
  }
}

const whyNot: Readonly<Record<string, string>> = {
  ENOENT: 'is not there',
  ENOTDIR: 'is not there',
  EACCES: 'may not be read',
}

function contextOf(
  others: readonly Origin[],
  { set, asks, isOurs }: Given,
): Omit<SellContext, 'file' | 'beside' | 'placeOf'> {
  const at = (origin: Origin) =>
    [...origin.operations, ...origin.free, ...origin.pages].map(({ path }) => path)
  const open = others.map(origin => ({ ...origin, url: '' }))
  return {
    set,
    asks,
    isOurs,
    origins: new Set(others.map(({ name }) => name)),
    paths: new Set([...others.flatMap(at), ...doorPaths.flatMap(first => [`/${first}`, `/${first}/*`])]),
    ids: new Set(others.flatMap(({ operations }) => operations.map(({ id }) => id))),
    tools: new Set([
      ...soldBy(open).map(({ name }) => name),
      ...others.flatMap(({ free }) => free.flatMap(({ tool }) => tool ?? [])),
      ...aboutUs.map(({ name }) => name),
    ]),
  }
}
