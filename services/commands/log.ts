/** `npm run log -- tail <topic>`: shows each new record of a topic as a line. Only `forget` changes a record. */
import { parseArgs } from 'node:util'
import type { Received } from '../../pipelines/rails/log/log.ts'
import { openLog, readAlong } from '../../pipelines/rails/log/open-log.ts'
import { Newest } from '../../pipelines/rails/log/order.ts'
import { readEvent } from '../../schemas/dataset/dataset.ts'
import { datasets } from '../../schemas/index.ts'
import { closeOnSignals } from '../roles/lifecycle.ts'
import { loadLog, Misused, runCommand, wishesOf } from './command-line.ts'

const usage = `npm run log -- tail <topic> [--from beginning] [--key KEY]
npm run log -- topics
npm run log -- forget <topic> <key>

  Shows each new record of the topic as a line of JSON. --from beginning shows the older records first. --key shows the
  records of one key only. LOG_URL (or DATA_DIR) names the log, as for npm run serve. The sandbox prints the LOG_URL of its log.
  topics makes the missing topics of Kafka, where the roles themselves may make none.
  forget withdraws the newest record of a key that this version cannot read, so that its view is sold again. It leaves a record that can be read.`

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

const heldTopics = datasets.filter(({ views }) => views.some(view => view.held))

/** Only a record that nobody can sell from is withdrawn: the others may be what somebody has paid for. */
async function forget([name = '', key = '']: string[]): Promise<void> {
  const dataset = heldTopics.find(({ topic }) => topic.name === name)
  if (!dataset)
    throw new Misused(
      `there is no view in memory of the topic ${name}; there are ${heldTopics.map(({ topic }) => topic.name).join(', ')}`,
    )
  const url = await loadLog()
  const newest = new Newest()
  let last: Received | undefined
  const take = (batch: readonly Received[]) => {
    for (const record of batch) if (record.key === key && newest.takes(record)) last = record
  }
  const reading = await readAlong(url, dataset.topic, take, { from: 'beginning' })
  await Promise.race([reading.caughtUp, reading.ended])
  await reading.close()
  if (!last?.value) throw new Misused(`the topic ${name} has no record of ${key}`)
  if (readEvent(dataset, last.value).reason === undefined)
    throw new Misused(`the newest record of ${key} can be read; it stays`)
  const log = await openLog(url, { topics: [dataset.topic] })
  await log.append(dataset.topic, [{ key, value: null }])
  await log.close()
  console.log(`${name} ${last.partition}/${last.offset} of ${key} is withdrawn`)
}

async function tail(args: string[]): Promise<void> {
  if (args.length === 1 && args[0] === 'topics') return makeTopics()
  if (args.length === 3 && args[0] === 'forget') return forget(args.slice(1))
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
  runCommand(usage, tail)
}
