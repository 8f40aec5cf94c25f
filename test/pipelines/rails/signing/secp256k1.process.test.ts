import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const at = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const run = async (...flags: string[]) => {
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, at('./vectors.ts')])
  return JSON.parse(stdout) as { isNative: boolean; lines: unknown[] }
}

it('without its native part the curve gives the same answers, and no elliptic is loaded', async () => {
  const [native, plain] = [await run(), await run('--require', at('./without-native.cjs'))]
  expect([native.isNative, plain.isNative]).toEqual([true, false])
  expect(plain.lines).toEqual(native.lines)
  expect(native.lines).toHaveLength(112)
})
