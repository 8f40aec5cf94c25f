/** Makes a folder, and removes it at the end of the test, or when `atEnd` says. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

export function scratchFolder(atEnd: (end: () => void) => void = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-'))
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
