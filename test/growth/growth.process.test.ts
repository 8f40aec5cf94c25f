/** No text of a stranger may cost more than in proportion to its size. Measured in processor time, one reader at a time. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, expect, it } from 'vitest'
import { others } from './others.ts'
import { readers } from './readers.ts'

interface Growth {
  of: string
  name: string
  times: number[]
  hasGrown: boolean
}

const all = { ...readers, ...others }
let found: Growth[]
/** A minute at rest, and four on a machine that has five times as much to do: only what hangs takes longer. */
const hangMs = 30 * 60_000

// Loading the readers takes a second, so one process measures all of them.
beforeAll(async () => {
  const file = fileURLToPath(new URL('./measure.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [file], {
    maxBuffer: 16 << 20,
    timeout: hangMs,
  })
  found = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Growth)
}, 0)

it.each(Object.entries(all))('%s grows with its text', (name, { inputs }) => {
  const own = found.filter(({ of }) => of === name)
  expect(own.map(({ name }) => name)).toEqual(Object.keys(inputs))
  expect(own.filter(({ hasGrown }) => hasGrown)).toEqual([])
})
