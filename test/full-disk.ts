/** A disk that really fills up: a small file system in memory. It needs a user who may mount one. */
import { execFileSync } from 'node:child_process'

/** `work` can make room. Returns false if this machine cannot mount the disk. */
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
