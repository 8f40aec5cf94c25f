/** The process that sells loads the largest bodies of upstreams too, and none holds its thread meanwhile. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

interface HeldBy {
  of: string
  name: string
  mb: number
  /** In ms of the processor. */
  longest: number
  turns: number
}

/** At their bounds some of them take four times as long where they are read in one go. */
const mostMs = 250

it('gives other work its turn while it reads', async () => {
  const file = fileURLToPath(new URL('./held.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [file])
  const found = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as HeldBy)
  expect(found.length).toBeGreaterThan(10)
  expect(found.filter(({ mb, turns }) => turns < mb)).toEqual([])
  expect(found.filter(({ longest }) => longest > mostMs)).toEqual([])
}, 0)
