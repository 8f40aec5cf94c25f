/** `npm run rejects`: events that no sink could store, looked at, mended and sent again. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import type { Log } from '../../pipelines/rails/log/log.ts'
import type { LogAt } from '../../pipelines/rails/log/log-address.ts'
import { openLog, placeOf } from '../../pipelines/rails/log/open-log.ts'
import { openGuestLog } from '../../pipelines/rails/log/sqlite-guest.ts'
import { openRejects, type Rejected, sendAgain } from '../../pipelines/workers/resending.ts'
import type { Dataset } from '../../schemas/dataset/dataset.ts'
import { datasets } from '../../schemas/index.ts'
import { rejects } from '../../schemas/rejects.ts'
import { loadLog, Misused, runCommand, wishesOf } from './command-line.ts'

const usage = `npm run rejects -- list
npm run rejects -- take <topic> --to FILE
npm run rejects -- send <topic> [--from FILE]

  Shows how many events of each topic were rejected and not sent again, with their reasons. take writes those of a topic into FILE, a line
  of JSON each: mend the field "event" there, and delete the lines that shall stay rejected. send checks each line, or without a file
  each rejected event as it is, and appends those that fit to their topic, where the sink takes them. What does not fit, and what the log has
  told again since then, is left, and said. LOG_URL (or DATA_DIR) names the log, as for npm run serve. The sandbox prints the LOG_URL of its
  log. A log of one file belongs to the service that runs: stop it to send, and start it again.`

/** Other topics have no table, and their readers have their own ways. */
const stored = datasets.filter(({ audience, name }) => audience !== 'log' && name !== rejects.name)

const wishes = (args: string[]) =>
  wishesOf(usage, () => {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { to: { type: 'string' }, from: { type: 'string' } },
    })
    const [command, topic, ...more] = positionals
    const { to, from } = values
    if (command === 'list' && !topic && !to && !from) return { command } as const
    const dataset = stored.find(known => known.topic.name === topic)
    if (!topic || more.length || !['take', 'send'].includes(command ?? '')) throw new Misused(usage)
    if (!dataset)
      throw new Misused(
        `there is no table of the topic ${topic}; there are ${stored.map(known => known.topic.name).join(', ')}`,
      )
    if (command === 'take' && to && !from) {
      if (existsSync(to)) throw new Misused(`${to} is there already, and may hold what somebody has mended`)
      return { command, dataset, to } as const
    }
    if (command === 'send' && !to) return { command, dataset, from } as const
    throw new Misused(usage)
  })

const line = z.object({
  place: z.string(),
  at: z.string(),
  reason: z.string(),
  event: z.union([z.string(), z.record(z.string(), z.unknown())]),
})

function linesOf(file: string, topic: string): Rejected[] {
  const texts = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return texts.map((text, nth) => {
    try {
      const { event, ...rest } = line.parse(JSON.parse(text))
      return { ...rest, topic, event: typeof event === 'string' ? event : JSON.stringify(event) }
    } catch {
      throw new Misused(`${file}:${nth + 1} is no line as take writes it`)
    }
  })
}

/** As an object where it is one, so that it can be mended with ease. */
function shown(event: string): unknown {
  try {
    return JSON.parse(event)
  } catch {
    return event
  }
}

const allTopics = datasets.map(({ topic }) => topic)

/** A log of one file is read while the service owns it, and made by nobody who only looks. */
async function openNow(at: LogAt): Promise<Rejected[]> {
  const { file } = placeOf(at)
  const log = file ? openGuestLog(file) : await openLog(at, { topics: allTopics, creates: false })
  return openRejects(log).finally(() => log.close())
}

async function send(dataset: Dataset, wanted: readonly Rejected[], log: Log): Promise<number> {
  const outcomes = await sendAgain(dataset, wanted, { log, now: Date.now })
  for (const { place, left } of outcomes) if (left !== undefined) console.log(`${place} is left: ${left}`)
  const left = outcomes.filter(one => one.left !== undefined).length
  console.log(`${outcomes.length - left} sent again, ${left} left`)
  return left ? 1 : 0
}

async function run(args: string[]): Promise<number | undefined> {
  const wish = wishes(args)
  const at = await loadLog()
  const open = await openNow(at)
  if (wish.command === 'list') {
    list(open)
    return
  }
  const { dataset } = wish
  const own = open.filter(({ topic }) => topic === dataset.topic.name)
  if (wish.command === 'take') {
    const lines = own.map(({ topic: _, event, ...rest }) => JSON.stringify({ ...rest, event: shown(event) }))
    writeFileSync(wish.to, lines.map(text => `${text}\n`).join(''), { flag: 'wx' })
    console.log(`${own.length} events are in ${wish.to}`)
    return
  }
  const wanted = wish.from === undefined ? own : linesOf(wish.from, dataset.topic.name)
  const log = await openLog(at, { topics: allTopics, creates: false })
  return send(dataset, wanted, log).finally(() => log.close())
}

function list(open: readonly Rejected[]): void {
  for (const [topic, of] of Map.groupBy(open, one => one.topic)) {
    console.log(`${topic}: ${of.length}`)
    for (const [reason, alike] of Map.groupBy(of, one => one.reason))
      console.log(`  ${alike.length} x ${reason} (the last at ${alike.at(-1)?.at}, ${alike.at(-1)?.place})`)
  }
  if (!open.length) console.log('nothing is rejected that was not sent again')
}

if (import.meta.main) runCommand(usage, run)
