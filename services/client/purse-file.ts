/**
 * Counts the spending in a file for each day, so that the daily cap holds over all processes of a user. No lock exists that a
 * killed process could leave behind: each process appends the amount that it wants, and then reads the file. The lines before its
 * own decide, and all processes read the same order.
 */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Purse } from './purse.ts'
import { append, forgetOld, makeFolder, stateFolder } from './state-folder.ts'

/** One line: an amount that is taken if the earlier lines leave room below `most`, or an amount that is given back. */
interface Entry {
  id: string
  atoms: string
  most?: string
}

const keptDays = 31
const fileForm = /^spent-(\d{4}-\d\d-\d\d)(?:\.[0-9a-f]{16})?\.jsonl$/

export function purseInFile(folder = stateFolder()): Purse {
  const fileOf = (day: string) => join(folder, `spent-${day}.jsonl`)
  const guarded = <T>(file: string, work: () => T): T => {
    try {
      return work()
    } catch (error) {
      throw new Error(
        `${file} keeps what is spent, and it fails, so nothing is paid: ${(error as Error).message}`,
      )
    }
  }
  return {
    take(day, atoms, most) {
      const file = fileOf(day)
      return guarded(file, () => {
        const text = textOf(file)
        const before = earlierSpent(folder, day)
        const { sum: spent } = summed(text ?? '', before)
        // Neither a loop of refused calls nor who only looks makes the file grow.
        if (spent + atoms > most || atoms === 0n) return { taken: spent + atoms <= most, spent }
        if (text === undefined) openFolder(folder, day)
        const id = randomUUID()
        write(file, { id, atoms: String(atoms), most: String(most) })
        const own = summed(textOf(file) ?? '', before).verdicts.get(id)
        if (!own) throw new Error('it has lost a line')
        return own
      })
    },
    giveBack(day, atoms) {
      const file = fileOf(day)
      guarded(file, () => write(file, { id: randomUUID(), atoms: String(-atoms) }))
    },
  }
}

function summed(text: string, before: bigint) {
  let sum = before
  const verdicts = new Map<string, { taken: boolean; spent: bigint }>()
  for (const { id, atoms, most } of text.split('\n').flatMap(entryIn)) {
    const taken = most === undefined || sum + BigInt(atoms) <= BigInt(most)
    verdicts.set(id, { taken, spent: sum })
    if (taken) sum += BigInt(atoms)
  }
  return { sum, verdicts }
}

const form = /^\{"id":"[\w-]+","atoms":"-?\d+"(,"most":"\d+")?\}$/

/**
 * A line that was cut off bought nothing: its process noticed, or died. But nobody can rule out a later cut, so a readable amount
 * in it counts as spent. Any other line that is no entry stops all payments.
 */
function entryIn(line: string, index: number): Entry[] {
  if (form.test(line)) return [JSON.parse(line) as Entry]
  const [, id, atoms, rest = ''] = paying.exec(line) ?? []
  if (id && atoms && isBegun(rest, ',"most":"', /^\d*"?$/))
    return atoms.startsWith('-') ? [] : [{ id, atoms }]
  const [isNamed, behindId = ''] = naming.exec(line) ?? []
  if ('{"id":"'.startsWith(line)) return []
  if (isNamed !== undefined && isBegun(behindId, ',"atoms":"', /^-?\d*$/)) return []
  throw new Error(`its line ${index + 1} cannot be read. If you know what it stands for, mend or remove it`)
}

const naming = /^\{"id":"[\w-]*(?:"(.*))?$/
const paying = /^\{"id":"([\w-]+)","atoms":"(-?\d+)"(.*)$/
const isBegun = (text: string, beginning: string, rest: RegExp): boolean =>
  beginning.startsWith(text) || (text.startsWith(beginning) && rest.test(text.slice(beginning.length)))

/** It is on the disk before anything is signed. */
const write = (file: string, entry: Entry): void => append(file, JSON.stringify(entry))

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Reads the one file in which older versions kept this day. */
function earlierSpent(folder: string, day: string): bigint {
  const text = textOf(join(folder, 'spent.json'))
  return text === undefined ? 0n : BigInt((JSON.parse(text) as Record<string, string>)[day] ?? 0)
}

function openFolder(folder: string, day: string): void {
  makeFolder(folder)
  forgetOld(folder, fileForm, { before: day.slice(0, 10), kept: keptDays })
}
