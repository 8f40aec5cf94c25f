/** A disk that is really full: a small file system in memory, for users who may mount one. */
import { execFileSync } from 'node:child_process'

/** `work` may call for room. Tells whether there was such a disk to be had. */
export async function onSmallDisk(
  folder: string,
  bytes: number,
  work: (makeRoom: () => void) => Promise<void>,
): Promise<boolean> {
  const mount = (options: string) =>
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'ignore' })
  try {
    mount(`size=${bytes}`)
  } catch {
    return false
  }
  try {
    await work(() => mount(`remount,size=${bytes * 16}`))
  } finally {
    execFileSync('umount', ['--lazy', folder])
  }
  return true
}
