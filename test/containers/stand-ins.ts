/** Images that stand in for servers whose own images cannot be had: made of Debian's packages and Maven's jars. */
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { classpathOf } from '../contracts/java.ts'
import { docker, hasImage } from './docker.ts'

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const servers = ['kafka', 'clickhouse', 's3', 'prometheus', 'alertmanager'] as const
export type StandIn = (typeof servers)[number]

export const standInOf = (server: StandIn): string => `farebox-stand-in-${server}`
/** What they are made from, which is not fetched here. */
const base = { clickhouse: 'farebox-all', others: 'debian:bookworm-slim' }

/** The name of the image, which is built if it is not there. Undefined where nothing can be built. */
export async function standIn(server: StandIn): Promise<string | undefined> {
  const name = standInOf(server)
  if (await hasImage(name)) return name
  if (!(await hasImage(server === 'clickhouse' ? base.clickhouse : base.others))) return undefined
  const context = mkdtempSync(join(tmpdir(), 'farebox-image-'))
  try {
    cpSync(here(server), context, { recursive: true })
    await contents[server]?.(context)
    // Two tests may build it at once: the second finds every layer made.
    await docker(['build', '--quiet', '--network', 'host', '--tag', name, context])
    return name
  } finally {
    rmSync(context, { recursive: true, force: true })
  }
}

const quick = '-Xmx256m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC'
const commands = {
  'kafka-broker-api-versions.sh': 'org.apache.kafka.tools.BrokerApiVersionsCommand',
  'kafka-configs.sh': 'kafka.admin.ConfigCommand',
  'kafka-acls.sh': 'org.apache.kafka.tools.AclCommand',
  'kafka-topics.sh': 'org.apache.kafka.tools.TopicCommand',
  'kafka-consumer-groups.sh': 'org.apache.kafka.tools.consumer.group.ConsumerGroupCommand',
}
/** As the program of Kafka's image does: it writes the properties out of the environment, formats the disk, and starts the broker. */
const kafkaProgram = `#!/bin/sh
set -e
at=/tmp/kafka
mkdir -p $at/default $at/mounted $at/final
touch $at/default/server.properties $at/default/log4j2.yaml $at/default/tools-log4j2.yaml
said=$(java ${quick} -cp '/opt/kafka/libs/*' kafka.docker.KafkaDockerWrapper setup \\
  --default-configs-dir $at/default --mounted-configs-dir $at/mounted --final-configs-dir $at/final 2>&1) ||
  case $said in *'already formatted'*) ;; *) echo "$said"; exit 1 ;; esac
exec java -Xmx384m -XX:+UseSerialGC -cp '/opt/kafka/libs/*' kafka.Kafka $at/final/server.properties
`

async function jarsInto(folder: string, pom: string, name: string, ...properties: string[]): Promise<void> {
  const classpath = await classpathOf(here(pom), name, ...properties)
  mkdirSync(folder, { recursive: true })
  for (const jar of classpath.split(delimiter)) copyFileSync(jar, join(folder, basename(jar)))
}

const contents: Partial<Record<StandIn, (context: string) => Promise<void>>> = {
  async kafka(context) {
    const version = process.env.KAFKA_VERSION ?? '4.4.0'
    await jarsInto(
      join(context, 'libs'),
      '../contracts/kafka/pom.xml',
      `kafka-${version}`,
      `-Dkafka.version=${version}`,
    )
    await jarsInto(join(context, 'tools'), '../contracts/kafka/tools/pom.xml', 'kafka-commands')
    mkdirSync(join(context, 'bin'))
    const program = (name: string, text: string) =>
      writeFileSync(join(context, 'bin', name), text, { mode: 0o755 })
    program('run', kafkaProgram)
    for (const [name, main] of Object.entries(commands))
      program(name, `#!/bin/sh\nexec java ${quick} -cp '/opt/kafka/tools/*' ${main} "$@"\n`)
  },
  s3: context => jarsInto(join(context, 'libs'), '../contracts/s3/pom.xml', 's3proxy'),
}
