import { copyFileSync, linkSync } from 'node:fs'

/** A file of an earlier backup, without a second copy of it where the file system can do that. */
export function takeFrom(earlier: string, file: string): void {
  try {
    linkSync(earlier, file)
  } catch {
    copyFileSync(earlier, file)
  }
}
