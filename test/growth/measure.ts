/**
 * Run as a process: prints for each text what a reader takes of the processor, in ms, for three sizes. Readers that are
 * named are measured alone. LONG_FORM=1: at their largest sizes.
 */
import { others } from './others.ts'
import { readers } from './readers.ts'

/** Four times the text: about n^1.2, and as much again for the collector of garbage. Squares take 16 times as long. */
const mostGrowth = 4 ** 1.2 * 2
/** Other work of the machine makes one time long, and not each of these. */
const rounds = 4
const isLong = process.env.LONG_FORM !== undefined

/** The time of this thread alone: compiler and collector have threads beside it, whose time depends on who else works. */
async function timeOf(read: (text: string) => unknown, text: string): Promise<number> {
  const before = process.threadCpuUsage()
  try {
    await read(text)
  } catch {
    // A named end is an end.
  }
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

/** The smaller a text, the more often it is read: what is compiled meanwhile is no time of its own, and would hide growth. */
async function timesOf(read: (text: string) => unknown, texts: readonly string[]): Promise<number[]> {
  const times: number[] = []
  for (const [i, text] of texts.entries()) {
    let best = Infinity
    for (let n = i; n < texts.length; n++) best = Math.min(best, await timeOf(read, text))
    times.push(best)
  }
  return times
}

const all = { ...readers, ...others }
const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(all)
for (const of of names) {
  const reader = all[of]
  if (!reader) throw new Error(`no reader is called ${of}`)
  const { inputs, bytes, shortBytes = bytes, read, leastMs = 300, bounded = {} } = reader
  const most = isLong ? bytes : shortBytes
  // The first call compiles and loads. That time is not growth.
  for (const input of Object.values(inputs)) await timeOf(read, input(2_000))
  for (const [name, input] of Object.entries(inputs)) {
    const texts = [most / 4, most / 2, most].map(input)
    let times = texts.map(() => Infinity)
    let hasGrown = true
    for (let round = 0; hasGrown && round < rounds; round++) {
      const again = await timesOf(read, texts)
      times = times.map((time, i) => Math.min(time, again[i] as number))
      const [first, , last] = times as [number, number, number]
      hasGrown = last > (bounded[name] ?? leastMs) && last > first * mostGrowth
    }
    console.log(JSON.stringify({ of, name, times: times.map(Math.round), hasGrown }))
  }
}
