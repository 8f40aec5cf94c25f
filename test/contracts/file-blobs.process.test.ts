import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { openBlobs } from '../../pipelines/rails/blobs/open-blobs.ts'
import { onSmallDisk } from '../full-disk.ts'
import { scratchFolder } from '../scratch.ts'
import { blobsContract } from './blobs.ts'

const dir = mkdtempSync(join(tmpdir(), 'farebox-blobs-'))
let folders = 0
const folderOf = (url: string) => url.slice('file:'.length)
afterAll(() => rmSync(dir, { recursive: true, force: true }))

async function filesIn(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  return found.filter(at => at.isFile()).map(at => relative(folder, join(at.parentPath, at.name)))
}

blobsContract({
  name: 'files',
  url: () => `file:${join(dir, String(++folders), 'blobs')}`,
  names: url => filesIn(folderOf(url)).catch(() => []),
  async place(url, name, bytes) {
    const file = join(folderOf(url), name)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, bytes)
  },
  withoutRoom(work) {
    const disk = join(dir, String(++folders))
    mkdirSync(disk)
    return onSmallDisk(disk, 2 << 20, async makeRoom => {
      await work(`file:${disk}`, makeRoom)
      expect((await filesIn(disk)).filter(name => name.endsWith('.part'))).toEqual([])
    })
  },
})

describe('blobs in files, beyond the contract', () => {
  test('stop the start if they cannot write to the folder', async () => {
    const folder = scratchFolder()
    writeFileSync(join(folder, 'file'), '')
    await expect(openBlobs(`file:${folder}/file/blobs`)).rejects.toThrow(
      `cannot write to ${folder}/file/blobs: ENOTDIR`,
    )
  })

  test('can be read only by their own user', async () => {
    const folder = scratchFolder()
    const blobs = await openBlobs(`file:${folder}`)
    const name = await blobs.put(Buffer.from('bought'), 1000)
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
    await blobs.close()
  })

  test('are kept in a folder or a bucket, and nowhere else', async () => {
    await expect(openBlobs('http://user:secret@host/x')).rejects.toThrow(
      /^blobs are kept in file:<folder> or s3:\/\/key:secret@host:port\/bucket$/,
    )
  })
})
