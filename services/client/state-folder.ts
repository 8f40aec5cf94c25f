/** Where this user's state lies: what is spent, and the payments that are open. */
import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { env } from 'node:process'

export const stateFolder = () => join(env.XDG_STATE_HOME || join(homedir(), '.local/state'), 'farebox')

/** The `recursive` of Node never ends below a folder such as /proc, which says that it is there and lets nothing be made. */
export function makeFolder(folder: string): void {
  const make = () => mkdirSync(folder, { mode: 0o700 })
  try {
    make()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return
    if (code !== 'ENOENT' || dirname(folder) === folder) throw error
    makeFolder(dirname(folder))
    make()
  }
}

/**
 * Appends a line in one write, which is on the disk before this ends. The line feed comes first, to end a line that was cut off.
 */
export function append(file: string, line: string): void {
  const bytes = Buffer.from(`\n${line}`)
  const descriptor = openSync(file, 'a', 0o600)
  try {
    if (writeSync(descriptor, bytes) < bytes.length) throw new Error('the disk is full')
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Deletes the files of the days before this one, but for so many days. It counts days that have a file: a clock that runs ahead for a
 * while must not delete what counts when it is right again. `form` has the day of a file's name.
 */
export function forgetOld(
  folder: string,
  form: RegExp,
  { before, kept }: { before: string; kept: number },
): void {
  const files = readdirSync(folder).flatMap(name => {
    const day = form.exec(name)?.[1]
    return day !== undefined && day < before ? [{ name, day }] : []
  })
  const newest = new Set([...new Set(files.map(({ day }) => day))].sort().slice(-kept))
  for (const { name, day } of files) if (!newest.has(day)) rmSync(join(folder, name), { force: true })
}
