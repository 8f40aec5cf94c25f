/** The contract of every store of blobs. */
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { BlobLost, type Blobs, BlobsAway, type BlobsOptions } from '../../pipelines/rails/blobs/blobs.ts'
import { openBlobs } from '../../pipelines/rails/blobs/open-blobs.ts'
import { until } from '../until.ts'

export interface Backend {
  name: string
  /** Returns a new place for each test. */
  url(): string
  /** Lists everything there, whatever its name. */
  names(url: string): Promise<string[]>
  /** Writes bytes there without the store. */
  place(url: string, name: string, bytes: Uint8Array): Promise<void>
  /** Runs `work` with a place for 2 MB, which `work` can enlarge. False: this machine has no such place. */
  withoutRoom(work: (url: string, makeRoom: () => void) => Promise<void>): Promise<boolean>
}

const hour = 3_600_000
const nameForm = /^\d{4}-\d\d-\d\dT\d\d\/[0-9a-f]{64}$/
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const processFile = new URL('blobs-process.ts', import.meta.url).pathname

export function blobsContract(backend: Backend): void {
  describe(`blobs in ${backend.name}`, () => {
    const opened: Blobs[] = []
    afterEach(async () => {
      await Promise.all(opened.splice(0).map(blobs => blobs.close()))
    })
    async function open(url: string, options: BlobsOptions = {}) {
      const blobs = await openBlobs(url, options)
      opened.push(blobs)
      return blobs
    }

    test.each([0, 1, 300_000, 5_000_000])(
      'return %i bytes under a name that holds their hash',
      async size => {
        const blobs = await open(backend.url())
        const bytes = randomBytes(size)
        const name = await blobs.put(bytes, hour)
        expect(name).toMatch(new RegExp(`/${sha256(bytes)}$`))
        expect((await blobs.get(name)).equals(bytes)).toBe(true)
      },
    )

    test('keep equal bytes once, however often and from however many callers they arrive', async () => {
      const url = backend.url()
      const now = () => Date.UTC(2026, 10, 22, 3, 30)
      const [one, two] = await Promise.all([open(url, { now }), open(url, { now })])
      const bytes = randomBytes(100_000)
      const puts = Array.from({ length: 20 }, (_, i) => (i % 2 ? one : two).put(bytes, hour))
      const names = new Set(await Promise.all(puts))
      expect([...names]).toEqual([`2026-11-22T05/${sha256(bytes)}`])
      expect((await backend.names(url)).filter(name => name.includes(sha256(bytes)))).toEqual([...names])
      expect((await one.get([...names][0] as string)).equals(bytes)).toBe(true)
    })

    test('give one instance what another one put', async () => {
      const url = backend.url()
      const [one, two] = await Promise.all([open(url), open(url)])
      const bytes = randomBytes(2000)
      expect((await two.get(await one.put(bytes, hour))).equals(bytes)).toBe(true)
    })

    test('hold every blob whose put succeeded in a process that was killed', async () => {
      const url = backend.url()
      const child = spawn(process.execPath, [processFile, url, 'told'], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const gone = new Promise(resolve => child.once('exit', resolve))
      let said = ''
      child.stdout.on('data', data => {
        said += data
        child.kill('SIGKILL')
      })
      await gone
      const names = said.trim().split('\n')
      expect(names.length).toBeGreaterThan(0)
      const blobs = await open(url)
      for (const name of names) expect((await blobs.get(name)).length).toBe(200_000)
    })

    test('report a blob as lost if it was never put, or if its name is invalid', async () => {
      const blobs = await open(backend.url())
      const absent = `2026-11-22T03/${sha256(randomBytes(8))}`
      await expect(blobs.get(absent)).rejects.toThrow(`the blob ${absent} is gone`)
      for (const name of ['', 'x', `../${absent}`, `${absent}/..`, absent.toUpperCase(), `/${absent}`])
        await expect(blobs.get(name)).rejects.toThrow('is not the name of a blob')
      await expect(blobs.get(absent)).rejects.toBeInstanceOf(BlobLost)
    })

    test('report a blob as lost if its bytes are damaged, until it is put again', async () => {
      const url = backend.url()
      const blobs = await open(url)
      const bytes = randomBytes(10_000)
      const name = await blobs.put(bytes, hour)
      for (const damaged of [bytes.subarray(0, 5000), Buffer.alloc(0), randomBytes(10_000)]) {
        await backend.place(url, name, damaged)
        const reading = blobs.get(name)
        await expect(reading).rejects.toBeInstanceOf(BlobLost)
        await expect(reading).rejects.toThrow(`the blob ${name} is damaged`)
      }
      expect(await blobs.put(bytes, hour)).toBe(name)
      expect((await blobs.get(name)).equals(bytes)).toBe(true)
    })

    test('keep a blob for the requested time and no longer; a second put never shortens it', async () => {
      const url = backend.url()
      const at = (hours: number, minutes: number) => Date.UTC(2026, 10, 22, hours, minutes)
      let time = at(3, 30)
      const blobs = await open(url, { now: () => time, sweepMs: 10 })
      const bytes = randomBytes(1000)
      const brief = await blobs.put(randomBytes(1000), 1000)
      const first = await blobs.put(bytes, hour)
      time = at(4, 10)
      const second = await blobs.put(bytes, hour)
      const there = async () => (await backend.names(url)).toSorted()
      await until(async () => !(await there()).includes(brief), 'the brief one to go')
      expect(await there()).toEqual([first, second])
      time = at(5, 0)
      await until(async () => !(await there()).includes(first), 'the first one to go')
      expect((await blobs.get(second)).equals(bytes)).toBe(true)
      time = at(6, 0)
      await until(async () => (await there()).length === 0, 'the second one to go')
    })

    test('remove the incomplete files of a process that was killed', async () => {
      const url = backend.url()
      const child = spawn(process.execPath, [processFile, url, 'putting'], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const gone = new Promise(resolve => child.once('exit', resolve))
      await until(async () => (await backend.names(url)).length > 2, 'blobs of the process')
      child.kill('SIGKILL')
      await gone
      await open(url, { now: () => Date.now() + 2 * hour, sweepMs: 10 })
      await until(async () => (await backend.names(url)).length === 0, 'its blobs to go')
    })

    test('leave files of other programs alone', async () => {
      const url = backend.url()
      const foreign = ['1999-01-01T00x/a', 'a/1999-01-01T00', 'notes.txt', 'z/1999-01-01T00/a']
      for (const name of foreign) await backend.place(url, name, Buffer.from('mine'))
      const old = `2026-11-22T03/${sha256(Buffer.from('old'))}`
      await backend.place(url, old, Buffer.from('old'))
      const blobs = await open(url, { now: () => Date.UTC(2030, 0), sweepMs: 10 })
      await until(async () => !(await backend.names(url)).includes(old), 'the old one to go')
      await blobs.close()
      expect((await backend.names(url)).toSorted()).toEqual(foreign)
    })

    test('refuse a blob when there is no room, keep nothing of it, and go on', async ({ skip }) => {
      const hadPlace = await backend.withoutRoom(async (url, makeRoom) => {
        const blobs = await open(url)
        const [small, large] = [randomBytes(1000), randomBytes(3_000_000)]
        const name = await blobs.put(small, hour)
        const putting = blobs.put(large, hour)
        await expect(putting).rejects.toBeInstanceOf(BlobsAway)
        await expect(putting).rejects.toThrow(/ENOSPC|answered PUT 5\d\d/)
        expect((await blobs.get(name)).equals(small)).toBe(true)
        expect((await backend.names(url)).filter(there => nameForm.test(there))).toEqual([name])
        makeRoom()
        expect((await blobs.get(await blobs.put(large, hour))).equals(large)).toBe(true)
        await blobs.close()
      })
      if (!hadPlace)
        skip('this machine has no small disk for it: that takes a mount, and a server of our own')
    })

    test('finish their work when they close, and refuse new blobs after that', async () => {
      const url = backend.url()
      const blobs = await open(url)
      const bytes = randomBytes(1_000_000)
      const putting = blobs.put(bytes, hour)
      await blobs.close()
      expect((await backend.names(url)).some(name => name.endsWith(sha256(bytes)))).toBe(true)
      await putting
      await expect(blobs.put(bytes, hour)).rejects.toThrow('closed')
    })
  })
}
