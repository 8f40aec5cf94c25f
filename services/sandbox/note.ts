/** The file that a running sandbox writes into its folder, so that `npm run call` finds it. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Reachable } from './wallet.ts'

export interface Note {
  url: string
  chains: Reachable[]
  /** The keys of the funded wallet, in the form of FAREBOX_KEY or --key-file. They are play money, and everybody knows them. */
  wallet: string
  /** The address that controls the shop and the receiver of webhooks. */
  street: string
  /** The address that has a facilitator stop, hang, slow down, lie or work again. */
  facilitators: string
  /** The address that has the bank of the sandbox correct its newest rates. */
  bank: string
  logUrl: string
}

export const sandboxFolder = (env: Readonly<Record<string, string | undefined>>): string =>
  env.DATA_DIR || './data/sandbox'

const at = (folder: string) => join(folder, 'sandbox.json')

export const leaveNote = (folder: string, note: Note): void =>
  writeFileSync(at(folder), `${JSON.stringify(note, null, 2)}\n`)

export const removeNote = (folder: string): void => rmSync(at(folder), { force: true })

/** One that works hard is not gone. Where none runs, the refusal comes at once. */
const patienceMs = 20_000

/** Undefined if no sandbox runs there. A killed sandbox leaves its note, but does not answer. */
export async function findNote(folder: string): Promise<Note | undefined> {
  try {
    const note = JSON.parse(readFileSync(at(folder), 'utf8')) as Note
    await fetch(`${note.url}/health`, { signal: AbortSignal.timeout(patienceMs) })
    return note
  } catch {
    return undefined
  }
}
