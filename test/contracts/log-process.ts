/** A process that follows a topic and never commits, so that a test can kill it before the commit. */
import { openLog } from '../../pipelines/rails/log/open-log.ts'

const [url, topicName, group] = process.argv.slice(2) as [string, string, string]
const topic = { name: topicName, keep: 'forever' as const }
const log = await openLog(url, { topics: [topic] })
await log.follow(topic, group, batch => {
  process.stdout.write(`${batch.map(({ key }) => key).join(' ')}\n`)
  return new Promise(() => {})
})
setInterval(() => {}, 60_000)
