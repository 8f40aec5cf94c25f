/** Remembers which members of the last archive were read, in 8 bytes each, because there are a million. */
import { createHash } from 'node:crypto'
import { readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const nameBits = 2 ** 21

/** A double holds 53 bits exactly: 32 for the content and 21 for the name. */
const markOf = (name: string, crc: number): number =>
  crc * nameBits + (createHash('sha1').update(name).digest().readUInt32BE() % nameBits)

const fileOf = (dataDir: string, archive: string): string => join(dataDir, 'sec', `${archive}.seen`)

/** Whether one of these archives was ever read completely here. */
export const wasRead = (dataDir: string, archive: string): Promise<boolean> =>
  stat(fileOf(dataDir, archive)).then(
    () => true,
    () => false,
  )

export class SeenFilings {
  readonly #before: ReadonlySet<number>
  readonly #now: number[] = []

  constructor(before: Iterable<number> = []) {
    this.#before = new Set(before)
  }

  /** A lost file only costs time: everything is read again. */
  static async load(dataDir: string, archive: string): Promise<SeenFilings> {
    const bytes = await readFile(fileOf(dataDir, archive)).catch(() => Buffer.alloc(0))
    const whole = bytes.length - (bytes.length % 8)
    return new SeenFilings(new Float64Array(new Uint8Array(bytes.subarray(0, whole)).buffer))
  }

  get empty(): boolean {
    return this.#before.size === 0
  }

  /** Whether the last archive had the member with this content. Adds the member to the current archive. */
  check(name: string, crc: number): boolean {
    const mark = markOf(name, crc)
    this.#now.push(mark)
    return this.#before.has(mark)
  }

  async save(dataDir: string, archive: string): Promise<void> {
    const file = fileOf(dataDir, archive)
    await writeFile(`${file}.part`, new Uint8Array(new Float64Array(this.#now).buffer))
    await rename(`${file}.part`, file)
  }
}
