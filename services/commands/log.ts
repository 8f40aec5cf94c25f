/** `npm run log -- tail <topic>`: shows each new record of a topic as a line. It changes nothing. */
import { parseArgs } from 'node:util'
import type { Received } from '../../pipelines/rails/log/log.ts'
import { openLog, readAlong } from '../../pipelines/rails/log/open-log.ts'
import { datasets } from '../../schemas/index.ts'
import { closeOnSignals } from '../roles/lifecycle.ts'
import { loadLog, Misused, runCommand, wishesOf } from './command-line.ts'

const usage = `npm run log -- tail <topic> [--from beginning] [--key KEY]
npm run log -- topics

  Shows each new record of the topic as a line of JSON. --from beginning shows the older records first. --key shows the
  records of one key only. LOG_URL (or DATA_DIR) names the log, as for npm run serve. The sandbox prints the LOG_URL of its log.
  topics makes the missing topics of Kafka, where the roles themselves may make none.`

const wishes = (args: string[]) =>
  wishesOf(usage, () => {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { from: { type: 'string', default: 'end' }, key: { type: 'string' } },
    })
    const [command, name, ...more] = positionals
    if (command !== 'tail' || !name || more.length) throw new Misused(usage)
    if (values.from !== 'beginning' && values.from !== 'end')
      throw new Misused(`--from is ${values.from}; it should be beginning or end`)
    const topics = datasets.map(({ topic }) => topic)
    const topic = topics.find(known => known.name === name)
    if (!topic)
      throw new Misused(`there is no topic ${name}; there are ${topics.map(known => known.name).join(', ')}`)
    return { topic, from: values.from, key: values.key } as const
  })

function lineOf({ at, partition, offset, key, value }: Received): string {
  const place = `{"at":${JSON.stringify(new Date(at).toISOString())},"place":"${partition}/${offset}"`
  return `${place},"key":${JSON.stringify(key)},"value":${value ?? 'null'}}\n`
}

/** Makes all topics. A log makes its missing topics when it opens, if its login may. */
async function makeTopics(): Promise<void> {
  const log = await openLog(await loadLog(), { topics: datasets.map(({ topic }) => topic) })
  await log.close()
  console.log(`${datasets.length} topics are there`)
}

async function tail(args: string[]): Promise<void> {
  if (args.length === 1 && args[0] === 'topics') return makeTopics()
  const { topic, from, key } = wishes(args)
  const reading = await readAlong(
    await loadLog(),
    topic,
    async batch => {
      const lines = batch.filter(record => key === undefined || record.key === key).map(lineOf)
      if (lines.length && !process.stdout.write(lines.join('')))
        await new Promise(resolve => process.stdout.once('drain', resolve))
    },
    { from },
  )
  closeOnSignals(reading)
  await reading.ended
}

if (import.meta.main) {
  // The reader closes the pipe when it has enough, as `head` does.
  process.stdout.on('error', () => process.exit(0))
  runCommand(tail)
}
