/** No text of a stranger may cost more than in proportion to its size. Measured in processor time, one reader at a time. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { others } from './others.ts'
import { type Reader, readers } from './readers.ts'

async function measured(all: Record<string, Reader>, names: string[]): Promise<void> {
  const file = fileURLToPath(new URL('./measure.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [file, ...names], { maxBuffer: 16 << 20 })
  const found = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as { of: string; name: string; times: number[]; hasGrown: boolean })
  expect(found).toHaveLength(names.flatMap(name => Object.keys(all[name]?.inputs ?? {})).length)
  expect(found.filter(({ hasGrown }) => hasGrown)).toEqual([])
}

it.each(Object.keys(readers))('%s grows with its text', name => measured(readers, [name]))

it('what is no page grows with its text', () => measured(others, Object.keys(others)))
