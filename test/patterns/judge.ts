/** Judges regular expressions by recheck, each once: its verdicts are kept in `judged.txt`, and new ones beside the compiler's cache until then. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import type { check as Check } from 'recheck'
import type { Pattern } from './source.ts'

export interface Judged extends Pattern {
  /** Undefined: its time grows as the text does. */
  fault: string | undefined
}

const kept = 'test/patterns/judged.txt'
const cache = 'node_modules/.cache/patterns.txt'
/** A verdict that takes longer is none, and a pattern without a verdict is not safe. */
const patienceMs = 30_000

const require = createRequire(import.meta.url)
const { version } = require('recheck/package.json') as { version: string }

const nameLength = 16
const nameOf = ({ source, flags }: Pattern): string =>
  createHash('sha256').update(`${version} /${source}/${flags}`).digest('hex').slice(0, nameLength)

/** Each line has the name of a pattern and its fault; of a safe one the name alone. */
const verdictsIn = (file: string): [string, string | undefined][] =>
  (existsSync(file) ? readFileSync(file, 'utf8') : '')
    .split('\n')
    .filter(Boolean)
    .map(line => [line.slice(0, nameLength), line.slice(nameLength + 1) || undefined])

function write(file: string, verdicts: ReadonlyMap<string, string | undefined>): void {
  const lines = [...verdicts].map(([name, fault]) => (fault ? `${name} ${fault}` : name))
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${lines.sort().join('\n')}\n`)
}

export async function judge(patterns: readonly Pattern[], isAnew: boolean): Promise<Judged[]> {
  const known = new Map(isAnew ? [] : [...verdictsIn(cache), ...verdictsIn(kept)])
  const before = known.size
  for (const pattern of patterns)
    if (!known.has(nameOf(pattern))) known.set(nameOf(pattern), await faultOf(pattern))
  if (!isAnew && known.size > before) write(cache, known)
  return patterns.map(pattern => ({ ...pattern, fault: known.get(nameOf(pattern)) }))
}

/** Those that are in the code now. */
export const keep = (judged: readonly Judged[]): void =>
  write(kept, new Map(judged.map(one => [nameOf(one), one.fault])))

let check: typeof Check | undefined

async function faultOf({ source, flags }: Pattern): Promise<string | undefined> {
  // Without its native build, which is 50 MB.
  process.env.RECHECK_BACKEND ??= 'pure'
  check ??= (require('recheck') as { check: typeof Check }).check
  const found = await check(source, flags, { timeout: patienceMs })
  if (found.status === 'safe') return undefined
  return found.status === 'vulnerable' ? found.complexity.summary : `no verdict: ${found.error.kind}`
}
