/** Node loads the file of `MUTANT` with its change. */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Change } from './changes.ts'

export type Mutant = Pick<Change, 'start' | 'end' | 'to'> & { file: string }

const { MUTANT } = process.env
if (MUTANT !== undefined) {
  const { file, start, end, to } = JSON.parse(MUTANT) as Mutant
  const path = resolve(file)
  const { href } = pathToFileURL(path)
  const text = readFileSync(path, 'utf8')
  const source = `${text.slice(0, start)}${to}${text.slice(end)}`
  registerHooks({
    load: (url, context, next) =>
      url.split('?')[0] === href
        ? { format: 'module-typescript', shortCircuit: true, source }
        : next(url, context),
  })
}
