/** What was spent today, in a file, so that the cap of a day holds over many calls of the command. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { env, pid } from 'node:process'
import type { Purse } from './purse.ts'

export function purseInFile(
  folder = join(env.XDG_STATE_HOME ?? join(homedir(), '.local/state'), 'farebox'),
): Purse {
  const file = join(folder, 'spent.json')
  const read = (): Record<string, string> => {
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
      throw new Error(`${file} cannot be read, so nothing is paid: ${(error as Error).message}`)
    }
  }
  return {
    spent: day => BigInt(read()[day] ?? 0),
    add(day, atoms) {
      const spent = BigInt(read()[day] ?? 0) + atoms
      mkdirSync(folder, { recursive: true })
      const next = `${file}.${pid}`
      writeFileSync(next, JSON.stringify({ [day]: String(spent) }))
      renameSync(next, file)
    },
  }
}
