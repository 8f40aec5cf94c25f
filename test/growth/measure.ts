/** Run as a process: prints for each text what one reader takes of the processor, in ms, for three sizes. */
import { readers } from './readers.ts'

/** Four times the text: about n^1.2, and as much again for the collector of garbage. Squares take 16 times as long. */
const mostGrowth = 4 ** 1.2 * 2
/** Below it a time says nothing of growth. */
const leastMs = 300
/** Other work of the machine makes one time long, and not each of these. */
const rounds = 4

const reader = readers[process.argv[2] as string]
if (!reader) throw new Error(`no reader is called ${process.argv[2]}`)
const { inputs, bytes, read } = reader

async function timeOf(text: string): Promise<number> {
  const before = process.cpuUsage()
  try {
    await read(text)
  } catch {
    // A named end is an end.
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

// What is compiled and loaded at first is no growth.
for (const input of Object.values(inputs)) await timeOf(input(2_000))
for (const [name, input] of Object.entries(inputs)) {
  const texts = [bytes / 4, bytes / 2, bytes].map(input)
  const times = texts.map(() => Infinity)
  let hasGrown = true
  for (let round = 0; hasGrown && round < rounds; round++) {
    for (const [i, text] of texts.entries()) times[i] = Math.min(times[i] as number, await timeOf(text))
    const [first, , last] = times as [number, number, number]
    hasGrown = last > leastMs && last > first * mostGrowth
  }
  console.log(JSON.stringify({ name, times: times.map(Math.round), hasGrown }))
}
