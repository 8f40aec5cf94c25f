/** The broker of compose.yaml, started from Maven: its configuration from the image's environment, and its own commands. */
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { classpathOf, connects, freePorts, spawnJava } from '../contracts/java.ts'
import { kafkaVersion } from '../contracts/kafka-node.ts'
import { until } from '../until.ts'
import { composed, operatorValues } from './compose.ts'

const run = promisify(execFile)
const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const quick = ['-Xmx128m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC']

export interface ComposeBroker {
  /** The LOG_URL inside its container. */
  operator: string
  /** The environment that compose gives a role, with the port of this broker. */
  environmentOf(role: string): Record<string, string>
  /** Does the work of the service `rights`, perhaps with other passwords. Resolves with its output. */
  giveRights(values?: Record<string, string>): Promise<string>
  stop(): Promise<void>
}

export async function startComposeBroker(
  folder: string,
  passwords: Readonly<Record<string, string>>,
): Promise<ComposeBroker> {
  const broker = await classpathOf(
    path('../contracts/kafka/pom.xml'),
    `kafka-${kafkaVersion}`,
    `-Dkafka.version=${kafkaVersion}`,
  )
  const [operator, log, controller] = (await freePorts(3)) as [number, number, number]
  const here = (text: string) =>
    text
      .replaceAll('kafka:9092', `localhost:${log}`)
      .replaceAll(':9091', `:${operator}`)
      .replaceAll(':9092', `:${log}`)
      .replaceAll(':9093', `:${controller}`)
      .replaceAll('/var/lib/kafka/data', join(folder, 'data'))
  const serviceOf = (name: string, values: Readonly<Record<string, string>> = passwords) => {
    const { environment = {} } = composed({ ...operatorValues, ...values }).services[name] ?? {}
    return Object.fromEntries(Object.entries(environment).map(([key, text]) => [key, here(text)]))
  }

  const folders = ['default', 'mounted', 'final'].map(name => join(folder, name)) as [string, string, string]
  for (const each of folders) await mkdir(each, { recursive: true })
  for (const name of ['server.properties', 'log4j2.yaml', 'tools-log4j2.yaml'])
    await writeFile(join(folders[0], name), '')
  const [defaults, mounted, final] = folders
  // The image's program. It writes the properties from the environment, and formats the disk.
  await run(
    'java',
    [
      ...[...quick, '-cp', broker, 'kafka.docker.KafkaDockerWrapper', 'setup'],
      ...['--default-configs-dir', defaults, '--mounted-configs-dir', mounted, '--final-configs-dir', final],
    ],
    { env: { PATH: process.env.PATH, ...serviceOf('kafka') } },
  )
  const alive = await spawnJava(
    broker,
    '-Xmx256m',
    ...quick.slice(1),
    'kafka.Kafka',
    join(final, 'server.properties'),
  )
  await until(async () => (await connects(operator)) && connects(log), 'the broker', 60_000)

  return {
    operator: `kafka://localhost:${operator}`,
    environmentOf: role => serviceOf(role),
    async giveRights(values = passwords) {
      const commands = await classpathOf(path('../contracts/kafka/tools/pom.xml'), 'kafka-commands')
      const command = async (name: string, main: string) => {
        const file = join(folder, name)
        await writeFile(file, `#!/bin/sh\nexec java ${quick.join(' ')} -cp '${commands}' ${main} "$@"\n`, {
          mode: 0o755,
        })
        return file
      }
      const env = {
        ...serviceOf('rights', values),
        PATH: process.env.PATH,
        KAFKA_CONFIGS: await command('kafka-configs.sh', 'kafka.admin.ConfigCommand'),
        KAFKA_ACLS: await command('kafka-acls.sh', 'org.apache.kafka.tools.AclCommand'),
      }
      const { stdout } = await run('sh', [path('../../deploy/kafka/logins.sh')], { env })
      return stdout
    },
    stop: () => alive.kill(),
  }
}
