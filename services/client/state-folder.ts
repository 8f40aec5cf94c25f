/** Where this user's state lies: what is spent, and the payments that are open. */
import { mkdirSync } from 'node:fs'
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
