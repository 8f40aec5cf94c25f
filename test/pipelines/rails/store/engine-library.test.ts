import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { engineLibrary } from '../../../../pipelines/rails/store/engine-library.ts'
import { scratchFolder } from '../../../scratch.ts'

/** An installed package with a packed engine, as the image has it. */
function packed(content: Buffer, version = '1.2.3'): { from: string; folder: string } {
  const at = scratchFolder()
  const platform = join(at, 'packages', 'lib-of-this-machine')
  mkdirSync(platform, { recursive: true })
  writeFileSync(join(platform, 'package.json'), JSON.stringify({ version }))
  writeFileSync(join(platform, 'libchdb.so.zst'), content)
  return { from: join(at, 'packages'), folder: join(at, 'store') }
}
const text = 'an engine '.repeat(10_000)

it('a packed engine is unpacked beside the rows, once for each version', async () => {
  const { from, folder } = packed(zstdCompressSync(text))
  const library = (await engineLibrary(folder, from)) as string
  expect([library, readFileSync(library, 'utf8')]).toEqual([join(folder, 'libchdb-1.2.3.so'), text])
  writeFileSync(library, 'it is not written again')
  expect(readFileSync((await engineLibrary(folder, from)) as string, 'utf8')).toBe('it is not written again')

  // What is left of another version, and of a start that was killed, goes. Everything else stays.
  for (const name of ['libchdb-1.2.4.so.4711', 'access.json']) writeFileSync(join(folder, name), 'x')
  const next = packed(zstdCompressSync(text), '1.2.4')
  expect(await engineLibrary(folder, next.from)).toBe(join(folder, 'libchdb-1.2.4.so'))
  expect(readdirSync(folder).toSorted()).toEqual(['access.json', 'libchdb-1.2.4.so'])
})

it('an engine that cannot be unpacked is told in words, and leaves no part', async () => {
  const { from, folder } = packed(Buffer.from('no engine'))
  await expect(engineLibrary(folder, from)).rejects.toThrow(
    `libchdb.so.zst cannot be unpacked into ${folder}: `,
  )
  expect(readdirSync(folder)).toEqual([])
})

it('an install without an engine has none', async () => {
  const at = scratchFolder()
  expect(await engineLibrary(at, join(at, 'none'))).toBeUndefined()
})
