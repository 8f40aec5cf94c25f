/** A copy of the tree, for a test that changes it. The packages are those of the original. */
import { cpSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { scratchFolder } from './scratch.ts'

const top = fileURLToPath(new URL('..', import.meta.url))
const left = /^(node_modules|data|coverage|\.(?!github).*)$/

export function scratchTree(folder = scratchFolder()): string {
  cpSync(top, folder, { recursive: true, filter: path => !left.test(path.slice(top.length)) })
  symlinkSync(join(top, 'node_modules'), join(folder, 'node_modules'))
  return folder
}
