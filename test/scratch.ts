/** Makes a folder for one test, and removes it at the end of the test. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
