/** A file with this text, for one test. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratchFolder } from '../../scratch.ts'

export function scratchFile(name: string, text: string): string {
  const file = join(scratchFolder(), name)
  writeFileSync(file, text)
  return file
}
