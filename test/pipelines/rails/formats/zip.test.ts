import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { UpstreamFailed } from '../../../../pipelines/rails/failures.ts'
import { readZipped } from '../../../../pipelines/rails/formats/zip.ts'

const archive = readFileSync(new URL('../../../recorded/ecb/eurofxref-hist.zip', import.meta.url))
const file = 'eurofxref-hist.csv'

test('one file is read from an archive', async () => {
  const bytes = await readZipped(archive, file, 'it', 2 ** 20)
  expect(bytes.toString('utf8')).toMatch(/^Date,USD,JPY,.*\n2026-04-13,1\.1684,186\.75,/)
})
test('a missing file', async () => {
  await expect(readZipped(archive, 'other.csv', 'it', 2 ** 20)).rejects.toThrow('it holds no other.csv')
})
test('a file that is too large', async () => {
  await expect(readZipped(archive, file, 'it', 1000)).rejects.toThrow(/larger than 1000 bytes/)
})
test('a file that is not an archive', async () => {
  await expect(readZipped(Buffer.from('<html>'), file, 'it', 2 ** 20)).rejects.toThrow(UpstreamFailed)
})
test('an archive cut short', async () => {
  await expect(readZipped(archive.subarray(0, 4000), file, 'it', 2 ** 20)).rejects.toThrow()
})
