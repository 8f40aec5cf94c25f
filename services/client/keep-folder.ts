/** Keeps open payments in a folder, a file each. A file is whole or not there, whenever a process is killed. */
import { randomUUID } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { type Ending, endingOf, type Keep, type Kept } from './kept.ts'
import { makeFolder, stateFolder } from './state-folder.ts'

export interface KeepInFolder extends Keep {
  /** The oldest first, and what each file is called. */
  list(): { name: string; kept: Kept }[]
  get(name: string): Kept | undefined
  put(name: string, kept: Kept, first: boolean): boolean
  delete(name: string, why: Ending): void
}

/** Payments that are open at once. Nothing is paid above it. */
const mostKept = 200
/** The share of one seller. A seller who never answers must not stop all payments to others. */
const mostOfSeller = 150
/** A question has 128 KB at most, and a payment 16. */
const keptLimitBytes = 256 << 10
/** A half-written file of a killed process is deleted after this time. */
const halfMs = 60 * 60_000
const form = /^[0-9a-f]{64}\.json$/

/** `tell` hears once of each payment whose answer can be had no longer. */
export function keepInFolder(
  folder = join(stateFolder(), 'payments'),
  tell: (kept: Kept) => void = () => {},
): KeepInFolder {
  const fileOf = (name: string) => join(folder, `${name}.json`)
  const remove = (name: string) => rmSync(fileOf(name), { force: true })

  /** Undefined: there is none, or it was worth nothing any more. */
  function get(name: string): Kept | undefined {
    const kept = guarded(fileOf(name), () => keptIn(fileOf(name)))
    const ending = kept && endingOf(kept)
    if (!ending) return kept
    remove(name)
    if (ending === 'gone') tell(kept)
    return undefined
  }

  function list() {
    const names = guarded(folder, () => namesIn(folder))
    return names
      .filter(name => form.test(name))
      .flatMap(file => {
        const name = file.slice(0, -'.json'.length)
        const kept = get(name)
        return kept ? [{ name, kept }] : []
      })
      .sort((a, b) => (a.kept.signedAt < b.kept.signedAt ? -1 : 1))
  }

  function checkRoom(url: string): void {
    const open = list()
    if (open.length >= mostKept) throw new Error(`${mostKept} payments are open: see farebox payments`)
    if (open.filter(({ kept }) => kept.url === url).length >= mostOfSeller)
      throw new Error(`${mostOfSeller} payments to ${url} are open: see farebox payments`)
  }

  return {
    get,
    list,
    put: (name, kept, first) =>
      guarded(fileOf(name), () => {
        const text = JSON.stringify(kept)
        if (Buffer.byteLength(text) > keptLimitBytes)
          throw new Error(`it would have more than ${keptLimitBytes >> 10} KB`)
        if (first) {
          makeFolder(folder)
          sweepHalves(folder)
          if (namesIn(folder).length >= mostOfSeller) checkRoom(kept.url)
        }
        return write(folder, fileOf(name), text, first)
      }),
    delete: name => guarded(fileOf(name), () => remove(name)),
  }
}

function guarded<T>(file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new Error(
      `${file} keeps an open payment, and it fails, so nothing is paid: ${(error as Error).message}`,
    )
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function sweepHalves(folder: string): void {
  for (const name of namesIn(folder)) {
    if (!name.endsWith('.half')) continue
    const { mtimeMs } = statSync(join(folder, name), { throwIfNoEntry: false }) ?? {}
    if (mtimeMs !== undefined && Date.now() - mtimeMs > halfMs) rmSync(join(folder, name), { force: true })
  }
}

function keptIn(file: string): Kept | undefined {
  const { size } = statSync(file, { throwIfNoEntry: false }) ?? {}
  if (size === undefined) return undefined
  const kept = size <= keptLimitBytes ? asObject(readFileSync(file, 'utf8')) : undefined
  const texts = ['url', 'path', 'key', 'payment', 'network', 'amount', 'signedAt', 'deadAt'] as const
  if (
    !kept ||
    typeof kept.question !== 'object' ||
    !texts.every(name => typeof kept[name] === 'string') ||
    !(Date.parse(kept.signedAt) && Date.parse(kept.deadAt))
  )
    throw new Error('it cannot be read. If you know what it stands for, mend or remove it')
  return kept
}

function asObject(text: string): Kept | undefined {
  try {
    return JSON.parse(text) as Kept
  } catch {
    // The words of JSON.parse repeat the text, and that is a payment.
    return undefined
  }
}

/** On the disk before it ends. A link is made by one process alone. */
function write(folder: string, file: string, text: string, first: boolean): boolean {
  const half = join(folder, `${randomUUID()}.half`)
  try {
    const bytes = Buffer.from(text)
    synced(openSync(half, 'wx', 0o600), descriptor => {
      if (writeSync(descriptor, bytes) < bytes.length) throw new Error('the disk is full')
    })
    if (first) linkSync(half, file)
    else renameSync(half, file)
    synced(openSync(folder, 'r'), () => {})
    return true
  } catch (error) {
    if (first && (error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(half, { force: true })
  }
}

function synced(descriptor: number, work: (descriptor: number) => void): void {
  try {
    work(descriptor)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
