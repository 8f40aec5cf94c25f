/** A folder for all tests of one file. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export function folderOfFile(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'farebox-market-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
