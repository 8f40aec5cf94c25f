/**
 * Notes of an operator for the one process that owns the log: a file for each in a folder beside it. In a cluster a note is a record of
 * the log itself.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type BookNote, bookNotes } from '../../../schemas/book-notes.ts'
import { readEvent } from '../../../schemas/dataset/dataset.ts'
import { sha256 } from '../../rails/signing/sha256.ts'

const folderOf = (logFile: string): string => join(dirname(logFile), 'book-notes')
const nameForm = /^[0-9a-f]{64}$/
const mostAtOnce = 1000

export function leaveNote(logFile: string, note: BookNote): void {
  const folder = folderOf(logFile)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const name = sha256(bookNotes.keyOf(note))
  const written = join(folder, `.${name}.${process.pid}`)
  writeFileSync(written, JSON.stringify(note), { mode: 0o600 })
  renameSync(written, join(folder, name))
}

interface LeftNote {
  note: BookNote | undefined
  taken(): void
}

/** A file that holds no note gives none, and goes away with the others. One that cannot be read stays, and stops no other. */
export function notesIn(logFile: string): LeftNote[] {
  const folder = folderOf(logFile)
  return namesIn(folder)
    .filter(name => nameForm.test(name))
    .slice(0, mostAtOnce)
    .flatMap(name => {
      const text = textOf(join(folder, name))
      if (text === undefined) return []
      const taken = () => rmSync(join(folder, name), { force: true })
      return { note: readEvent(bookNotes, text).event, taken }
    })
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // An operator sees that his difference stands, and the file beside the log.
    return undefined
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    // Nobody has explained anything yet.
    return []
  }
}
