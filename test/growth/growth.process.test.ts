/** No text of a stranger may cost more than in proportion to its size. Measured in processor time, one reader at a time. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { readers } from './readers.ts'

it.each(Object.keys(readers))('%s grows with its text', async name => {
  const file = fileURLToPath(new URL('./measure.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [file, name])
  const found = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as { name: string; times: number[]; hasGrown: boolean })
  expect(found).toHaveLength(Object.keys(readers[name]?.inputs ?? {}).length)
  expect(found.filter(({ hasGrown }) => hasGrown)).toEqual([])
})
