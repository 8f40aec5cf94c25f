/** The log of what was signed: a file a day, a line each, beside what is counted. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { append, forgetOld, makeFolder, stateFolder } from './state-folder.ts'

/** A payment that was signed. Its holder can take the money, whatever he says afterwards. */
export interface Spent {
  /** UTC. */
  at: string
  usd: string
  network: string
  payTo: string
  /** The address that was asked. */
  url: string
}

const keptDays = 366
const form = /^paid-(\d{4}-\d\d-\d\d)\.jsonl$/

/** Returns what writes a line. It throws where the line cannot be written, and then nothing is sent. */
export function spendingInFolder(folder = stateFolder()): (spent: Spent) => void {
  return spent => {
    const day = spent.at.slice(0, 10)
    makeFolder(folder)
    forgetOld(folder, form, { before: day, kept: keptDays })
    append(join(folder, `paid-${day}.jsonl`), JSON.stringify(spent))
  }
}

/** What was signed, the oldest first. A line that was cut off is left out. */
export function spentIn(folder = stateFolder()): Spent[] {
  return files(folder)
    .sort((a, b) => (a.of < b.of ? -1 : 1))
    .flatMap(({ name }) => readFileSync(join(folder, name), 'utf8').split('\n').flatMap(lineIn))
}

function lineIn(line: string): Spent[] {
  try {
    return line ? [JSON.parse(line) as Spent] : []
  } catch {
    // The process that wrote it was killed, or the disk was full.
    return []
  }
}

function files(folder: string): { name: string; of: string }[] {
  try {
    return readdirSync(folder).flatMap(name => {
      const of = form.exec(name)?.[1]
      return of === undefined ? [] : [{ name, of }]
    })
  } catch (error) {
    // Nothing was signed yet.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
