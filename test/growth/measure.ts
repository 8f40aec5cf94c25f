/** Run as a process: prints for each text what a reader takes of the processor, in ms, for three sizes. */
import { readers } from './readers.ts'

/** Four times the text: about n^1.2, and as much again for the collector of garbage. Squares take 16 times as long. */
const mostGrowth = 4 ** 1.2 * 2
/** Other work of the machine makes one time long, and not each of these. */
const rounds = 4

async function timeOf(read: (text: string) => unknown, text: string): Promise<number> {
  const before = process.cpuUsage()
  try {
    await read(text)
  } catch {
    // A named end is an end.
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

const names = process.argv.slice(2)
const all = names.every(name => name in readers) ? readers : (await import('./others.ts')).others
for (const of of names) {
  const reader = all[of]
  if (!reader) throw new Error(`no reader is called ${of}`)
  const { inputs, bytes, read, leastMs = 300 } = reader
  // What is compiled and loaded at first is no growth.
  for (const input of Object.values(inputs)) await timeOf(read, input(2_000))
  for (const [name, input] of Object.entries(inputs)) {
    const texts = [bytes / 4, bytes / 2, bytes].map(input)
    const times = texts.map(() => Infinity)
    let hasGrown = true
    for (let round = 0; hasGrown && round < rounds; round++) {
      for (const [i, text] of texts.entries())
        times[i] = Math.min(times[i] as number, await timeOf(read, text))
      const [first, , last] = times as [number, number, number]
      hasGrown = last > leastMs && last > first * mostGrowth
    }
    console.log(JSON.stringify({ of, name, times: times.map(Math.round), hasGrown }))
  }
}
