/** The broker of compose.yaml, with and without passwords: who gets in, and with which rights. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Kafka, logLevel } from 'kafkajs'
import { afterAll, describe, expect, it } from 'vitest'
import { backUpLog, restoreLog } from '../../pipelines/rails/log/backup.ts'
import { openLog } from '../../pipelines/rails/log/open-log.ts'
import { logVariables } from '../../pipelines/rails/log/variables.ts'
import { datasets } from '../../schemas/index.ts'
import { settlements } from '../../schemas/settlements.ts'
import { webPages } from '../../schemas/web-pages.ts'
import { readConfig } from '../../services/config/config.ts'
import { topicsOf } from '../../services/roles/rights.ts'
import { hasMaven } from '../contracts/java.ts'
import { scratchFolder } from '../scratch.ts'
import { type ComposeBroker, startComposeBroker } from './compose-broker.ts'

const isLong = process.env.LONG_FORM !== undefined
const able = await hasMaven()
if (!able && process.env.KAFKA_TESTS === 'required') throw new Error('no mvn with Java 17 is here')
const passwords = Object.fromEntries(
  ['INGEST', 'WORKER', 'QUERY', 'RENDER', 'OPERATOR', 'TOPICS'].map(name => [
    `${name}_LOG_PASSWORD`,
    `${name.toLowerCase()}-secret`,
  ]),
)
const roles = ['ingest', 'worker', 'query', 'render']
const record = [{ key: 'a', value: '{}' }]
const topics = datasets.map(({ topic }) => topic)
const backups = scratchFolder(afterAll)

/** The log as the container `operations` has it, and how many records a command found there. */
async function operate(
  command: typeof backUpLog,
  environment: Record<string, string>,
  folder: string,
): Promise<number> {
  const config = readConfig(environment)
  let found = 0
  await command(config.read(logVariables), topics, `${backups}/${folder}`, (_, records) => {
    found += records
  })
  return found
}

/** Does the work of the service `topics`. */
const makeTopics = async ({ operator }: ComposeBroker) =>
  (
    await promisify(execFile)(process.execPath, ['services/commands/log.ts', 'topics'], {
      env: { PATH: process.env.PATH, LOG_URL: operator },
    })
  ).stdout

async function enter(environment: Record<string, string>) {
  const config = readConfig({ BLOBS_URL: 'file:/nowhere', ...environment })
  return openLog(config.read(logVariables), { topics: topicsOf(config.ROLES) })
}

describe.skipIf(!able)(able ? 'the broker of compose.yaml' : 'the broker of compose.yaml: no Maven', () => {
  it('without passwords lets everybody in, as the quick start says', async () => {
    const broker = await startComposeBroker(scratchFolder(), {})
    try {
      expect(await broker.giveRights()).toMatch(/^no passwords/)
      expect(await makeTopics(broker)).toMatch(/topics are there/)
      for (const role of roles) await (await enter(broker.environmentOf(role))).close()
      const render = await enter(broker.environmentOf('render'))
      await render.append(webPages.topic, record)
      await render.close()
      expect(await operate(backUpLog, broker.environmentOf('operations'), 'open')).toBe(1)
    } finally {
      await broker.stop()
    }
  }, 180_000)

  // Each right is a start of Java, and there are a hundred.
  it.skipIf(!isLong)(
    `with passwords gives each role its login and its rights, and nobody else any${isLong ? '' : ': LONG_FORM is unset'}`,
    async () => {
      const broker = await startComposeBroker(scratchFolder(afterAll), passwords)
      try {
        await broker.giveRights()
        await makeTopics(broker)
        const operations = broker.environmentOf('operations')
        await expect(operate(restoreLog, operations, 'open')).rejects.toThrow(/uthoriz/)
        const topics = { ...operations, LOG_USERNAME: 'topics', LOG_PASSWORD: 'topics-secret' }
        expect(await operate(restoreLog, topics, 'open')).toBe(1)
        expect(await operate(backUpLog, operations, 'secured')).toBe(1)
        for (const role of roles) await (await enter(broker.environmentOf(role))).close()
        const render = await enter(broker.environmentOf('render'))
        await render.append(webPages.topic, record)
        await render.close()

        const own = broker.environmentOf('render')
        const { LOG_USERNAME: username = '', LOG_PASSWORD: password = '' } = own
        const brokers = [new URL(own.LOG_URL ?? '').host]
        const common = { brokers, logLevel: logLevel.NOTHING, retry: { retries: 0 } }
        const stolen = new Kafka({
          ...common,
          sasl: { mechanism: 'scram-sha-512', username, password },
        }).producer()
        await stolen.connect()
        const topic = settlements.topic.name
        await expect(stolen.send({ topic, messages: [{ value: '{}' }] })).rejects.toThrow(/Not authorized/)
        await stolen.disconnect()
        const nobody = new Kafka(common).admin()
        await expect(nobody.connect().then(() => nobody.listTopics())).rejects.toThrow()
        await nobody.disconnect()
        await expect(enter({ ...own, LOG_USERNAME: 'query' })).rejects.toThrow(/refuses LOG_USERNAME/)

        // To rotate a password, the operator writes another one into .env.
        await broker.giveRights({ ...passwords, RENDER_LOG_PASSWORD: 'another-secret' })
        await expect(enter(broker.environmentOf('render'))).rejects.toThrow(/refuses LOG_USERNAME/)
        await (await enter({ ...own, LOG_PASSWORD: 'another-secret' })).close()
      } finally {
        await broker.stop()
      }
    },
    300_000,
  )
})
