import { readFileSync } from 'node:fs'

/** How long the first thread of a process has waited, since its beginning, for a processor that others had. Only Linux tells. */
export function queuedMs(pid: number | 'self' = 'self'): number {
  try {
    const [, waitedNs] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')
    return Number(waitedNs) / 1e6
  } catch {
    return 0
  }
}
