/** Has this machine room, is it new enough, and is its clock right? */
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { type Diagnosis, type Look, type Patient, says } from './diagnosis.ts'

const leastShare = 0.1
const leastBytes = 2e9

async function roomAt(path: string): Promise<{ free: number; total: number }> {
  try {
    const { bavail, blocks, bsize } = await statfs(path)
    return { free: bavail * bsize, total: blocks * bsize }
  } catch (error) {
    if (path === dirname(path)) throw error
    return roomAt(dirname(path))
  }
}

export const lookAtDisk: Look = async ({ config: { DATA_DIR } }) => {
  const say = says('disk')
  const { free, total } = await roomAt(DATA_DIR)
  const gb = (bytes: number) => (bytes / 1e9).toFixed(1)
  const words = `${gb(free)} GB of ${gb(total)} GB are free at ${DATA_DIR}`
  return [say(free < leastBytes ? 'wrong' : free < leastShare * total ? 'watch' : 'well', words)]
}

export const lookAtVersions: Look = async () => {
  const say = says('versions')
  const needed = Number.parseInt(manifest.engines.node.replace('>=', ''), 10)
  const is = Number.parseInt(process.versions.node, 10)
  const words = `Farebox ${manifest.version} on Node ${process.versions.node}`
  return [is < needed ? say('wrong', `${words}; it needs Node ${needed}`) : say('well', words)]
}

const aLittleMs = 5_000
/** An authorization of a payer lives for a minute or more. A clock that is further off takes good ones for late. */
const muchMs = 30_000

/** By the clocks of all hosts that were asked: one of them may be wrong, most are not. */
export function clockFinding({ ahead }: Pick<Patient, 'ahead'>): Diagnosis {
  const say = says('clock')
  const sorted = [...ahead.values()].toSorted((a, b) => a - b)
  const middle = sorted[Math.floor(sorted.length / 2)]
  if (middle === undefined) return say('unseen', 'no host told its time')
  const offMs = Math.abs(middle)
  const seconds = `${(offMs / 1000).toFixed(0)} s ${middle > 0 ? 'ahead of' : 'behind'} the clocks of ${sorted.length} hosts`
  if (offMs > muchMs)
    return say('wrong', `this clock is ${seconds}: good payments are refused, and quotes are late`)
  if (offMs > aLittleMs) return say('watch', `this clock is ${seconds}`)
  return say('well', `this clock agrees with ${sorted.length} hosts`)
}
