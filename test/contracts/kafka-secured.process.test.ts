/** Kafka as in a stranger's network or a managed service: TLS, a login, and the broker's own refusals. */

import { execFileSync, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import kafkajs, { Kafka, logLevel } from 'kafkajs'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { roles } from '../../pipelines/rails/environment/roles.ts'
import { openKafkaLog } from '../../pipelines/rails/log/kafka-log.ts'
import type { Log } from '../../pipelines/rails/log/log.ts'
import { openLog, placeOf, readAlong } from '../../pipelines/rails/log/open-log.ts'
import { logVariables } from '../../pipelines/rails/log/variables.ts'
import type { Topic } from '../../schemas/dataset/dataset.ts'
import { tillPromises } from '../../schemas/till-promises.ts'
import { readConfig } from '../../services/config/config.ts'
import { rightsOf, topicsOf } from '../../services/roles/rights.ts'
import { scratchFolder } from '../scratch.ts'
import { until } from '../until.ts'
import { startSecured } from './kafka-secured.ts'

const secret = 'a-Secret-that-nobody-may-see'
const kafka = await startSecured(
  Object.fromEntries(['somebody', 'topics', 'operator', ...roles].map(name => [name, secret])),
)

if ('skipped' in kafka) it.skip(`Kafka with TLS and a login: ${kafka.skipped}`, () => {})
else {
  const { login, certified, ca, strangersCa } = kafka
  const admin = new Kafka({ brokers: [kafka.operator], logLevel: logLevel.NOTHING }).admin()
  await admin.connect()
  const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs
  /** A client with a login may do everything with the topics of these tests. */
  const everything = (resourceType: number, resourceName: string) => ({
    ...{ resourceType, resourceName, resourcePatternType: ResourcePatternTypes.PREFIXED },
    ...{ principal: 'User:somebody', host: '*', operation: AclOperationTypes.ALL },
    permissionType: AclPermissionTypes.ALLOW,
  })
  await admin.createAcls({
    acl: [
      everything(AclResourceTypes.TOPIC, 'facts.'),
      everything(AclResourceTypes.GROUP, 'farebox.g.facts.'),
    ],
  })
  const operations: Record<string, number> = {
    ...{ Read: AclOperationTypes.READ, Write: AclOperationTypes.WRITE, Create: AclOperationTypes.CREATE },
    ...{ Describe: AclOperationTypes.DESCRIBE, DescribeConfigs: AclOperationTypes.DESCRIBE_CONFIGS },
    AlterConfigs: AclOperationTypes.ALTER_CONFIGS,
  }
  const folder = scratchFolder(afterAll)
  const opened: Log[] = []
  afterEach(async () => {
    await Promise.all(opened.splice(0).map(log => log.close()))
  })
  afterAll(async () => {
    await admin.disconnect()
    await kafka.stop()
  })

  const topicOf = (): Topic => ({ name: `facts.${randomUUID()}`, keep: 'forever' })
  const said: string[] = []
  async function open(environment: Record<string, string>, topic: Topic): Promise<Log> {
    const onError = (error: unknown) => void said.push(`${(error as Error).stack} ${JSON.stringify(error)}`)
    const log = await openLog(readConfig(environment).read(logVariables), { topics: [topic], onError })
    opened.push(log)
    return log
  }
  const by = (sasl: string, more: Record<string, string> = {}) => ({
    LOG_URL: `kafka+tls://${login}?sasl=${sasl}`,
    LOG_CA: ca,
    LOG_USERNAME: 'somebody',
    LOG_PASSWORD: secret,
    ...more,
  })
  const mutual = async (...of: [name: string, from?: 'a stranger' | 'ours', ended?: boolean]) => {
    const { cert, key } = await kafka.certificate(...of)
    return { LOG_URL: `kafka+tls://${certified}`, LOG_CA: ca, LOG_CERT: cert, LOG_KEY: key }
  }

  async function endpoint(
    answer: (login: string | undefined, form: string) => { status: number; body: string },
  ) {
    const server = createServer(async (request, response) => {
      const { status, body } = answer(request.headers.authorization, await text(request))
      response.writeHead(status, { 'content-type': 'application/json' }).end(body)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      close: () => new Promise(resolve => server.close(resolve)),
    }
  }

  /** The rights that the script requests with Kafka's own command. That command needs a second for each call. */
  function wantedRights() {
    const script = join(folder, 'said')
    writeFileSync(script, '#!/bin/sh\nprintf "%s\\n" "$*"\n', { mode: 0o755 })
    const env = { ...process.env, KAFKA_ACLS: script, ADMIN: '--bootstrap-server x' }
    const calls = String(execFileSync('sh', ['deploy/kafka/acls.sh'], { env }))
      .trim()
      .split('\n')
    return calls.flatMap(call => {
      const said = (option: string) =>
        [...call.matchAll(new RegExp(`--${option} (\\S+)`, 'g'))].map(([, value = '']) => value)
      const [principal = ''] = said('allow-principal')
      return said('operation').flatMap(operation =>
        (['topic', 'group'] as const).flatMap(kind =>
          said(kind).map(resourceName => ({
            ...{ resourceName, principal, host: '*', permissionType: AclPermissionTypes.ALLOW },
            resourceType: kind === 'topic' ? AclResourceTypes.TOPIC : AclResourceTypes.GROUP,
            resourcePatternType: ResourcePatternTypes.LITERAL,
            operation: operations[operation] as number,
          })),
        ),
      )
    })
  }

  /** Every connection: admin, sender, tail, member of a group, positions. */
  async function works(environment: Record<string, string>): Promise<Log> {
    const topic = topicOf()
    const log = await open(environment, topic)
    const seen: string[] = []
    const followed: string[] = []
    const watching = await log.watch(topic, batch => void seen.push(...batch.map(({ key }) => key)))
    await log.follow(topic, 'g', batch => void followed.push(...batch.map(({ key }) => key)))
    await log.append(topic, [{ key: 'a', value: 'b' }])
    await watching.reached(await log.end(topic))
    await until(() => followed.length === 1, 'the group to read it')
    await until(async () => (await log.lag(topic, 'g')) === 0, 'the group to commit it')
    expect(seen).toEqual(['a'])
    return log
  }

  describe('the log on Kafka with TLS', () => {
    it.each(['plain', 'scram-sha-256', 'scram-sha-512'])('logs in by %s', async sasl => {
      await works(by(sasl))
    })

    it('shows a certificate if the broker asks for one', async () => {
      await works(await mutual('somebody'))
    })

    it('gets few tokens from an endpoint, and logs in again before a session ends', async () => {
      const asked: string[] = []
      const part = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url')
      const tokens = await endpoint((login, form) => {
        asked.push(`${login} ${form}`)
        const now = Math.floor(Date.now() / 1000)
        const token = `${part({ alg: 'none' })}.${part({ sub: 'somebody', scope: 'kafka', iat: now - 5, exp: now + 60 })}.`
        return { status: 200, body: JSON.stringify({ access_token: token, expires_in: 2 }) }
      })
      try {
        const topic = topicOf()
        const log = await open(
          by('oauthbearer&logicalCluster=lkc-1', {
            LOG_TOKEN_URL: `${tokens.url}/token`,
            LOG_TOKEN_SCOPE: 'kafka',
          }),
          topic,
        )
        await until(async () => {
          await log.append(topic, [{ key: 'a', value: 'b' }])
          return asked.length > 2
        }, 'a third token')
        const basic = Buffer.from(`somebody:${secret}`).toString('base64')
        expect(new Set(asked)).toEqual(new Set([`Basic ${basic} grant_type=client_credentials&scope=kafka`]))
      } finally {
        await tokens.close()
      }
    })
  })

  describe('a wrong login stops the start at once, with one line and without the secret', () => {
    const wrong = 'another-Secret-that-nobody-may-see'
    const cases: [string, () => Promise<Record<string, string>>, RegExp][] = [
      [
        'a wrong password by plain',
        async () => by('plain', { LOG_PASSWORD: wrong }),
        /LOG_PASSWORD by plain/,
      ],
      [
        'a wrong password by scram',
        async () => by('scram-sha-512', { LOG_PASSWORD: wrong }),
        /LOG_PASSWORD by scram-sha-512/,
      ],
      [
        'a name that nobody knows',
        async () => by('scram-sha-256', { LOG_USERNAME: 'nobody' }),
        /LOG_USERNAME/,
      ],
      [
        'an authority that signed nothing',
        async () => by('plain', { LOG_CA: strangersCa }),
        /not trusted: .*see LOG_CA/,
      ],
      ['no authority', async () => by('plain', { LOG_CA: '' }), /not trusted: .*see LOG_CA/],
      [
        'another host',
        async () => by('plain', { LOG_URL: by('plain').LOG_URL.replace('localhost', '127.0.0.1') }),
        /ALTNAME.*LOG_CA/,
      ],
      [
        'a certificate of a stranger',
        () => mutual('somebody', 'a stranger'),
        /refuses our certificate: .*LOG_CERT/,
      ],
      [
        'no certificate',
        async () => ({ ...(await mutual('somebody')), LOG_CERT: '', LOG_KEY: '' }),
        /refuses our certificate/,
      ],
    ]
    it.each(cases)('%s', async (_, environment, line) => {
      const error: Error = await open(await environment(), topicOf()).catch(error => error)
      expect(error.message).toMatch(line)
      expect(error.message).not.toContain('\n')
      expect(`${error.stack} ${JSON.stringify(error)} ${said.join()}`).not.toContain(wrong)
    })

    it('npm run serve prints that line, and ends with 1', () => {
      const { status, stdout, stderr } = spawnSync(process.execPath, ['services/main.ts'], {
        encoding: 'utf8',
        env: {
          ...process.env,
          ...by('scram-sha-512', { LOG_PASSWORD: wrong }),
          ...{ ROLES: 'render', PAGES_URL: `file:${folder}/pages`, DATA_DIR: folder, LOG_LEVEL: 'trace' },
        },
      })
      const line = `Kafka at ${kafka.login} refuses LOG_USERNAME with LOG_PASSWORD by scram-sha-512\n`
      expect({ status, stdout, stderr }).toEqual({ status: 1, stdout: '', stderr: line })
    })

    it('an expired certificate of ours is named before any broker is asked', async () => {
      await expect(open(await mutual('somebody', 'ours', true), topicOf())).rejects.toThrow(
        /^LOG_CERT is .* ended on/,
      )
    })

    it('an endpoint that gives no token', async () => {
      const tokens = await endpoint(() => ({ status: 401, body: `no ${secret}` }))
      try {
        const started = open(by('oauthbearer', { LOG_TOKEN_URL: tokens.url }), topicOf())
        const error: Error = await started.catch(error => error)
        expect(error.message).toMatch(
          /^no token for Kafka from 127.0.0.1:\d+: it answers 401; see LOG_TOKEN_URL/,
        )
      } finally {
        await tokens.close()
      }
    })
  })

  describe('the rights of deploy/kafka/acls.sh', () => {
    const login = (name: string) => by('scram-sha-512', { LOG_USERNAME: name })
    const clientOf = (name: string) =>
      new Kafka({
        ...{ brokers: [kafka.login], logLevel: logLevel.NOTHING, retry: { retries: 0 } },
        ssl: { ca: readFileSync(ca, 'utf8') },
        sasl: { mechanism: 'scram-sha-512', username: name, password: secret },
      })
    const all = topicsOf(roles)

    beforeAll(async () => {
      const wanted = wantedRights()
      await admin.createAcls({ acl: wanted })
      // npm run log -- topics, by an operator with the right to create them.
      const made = await openLog(readConfig(login('topics')).read(logVariables), { topics: all })
      await made.close()
      // A broker answers for a new topic once it leads it, and on a busy machine that takes longer than an append waits.
      await until(async () => {
        const asked = await Promise.allSettled(all.map(({ name }) => admin.fetchTopicOffsets(name)))
        return asked.every(({ status }) => status === 'fulfilled')
      }, 'the broker to lead every topic')
    })

    it.each(roles)('let %s do its work, and nothing else', async role => {
      const { reads, writes, groups } = rightsOf[role]
      const log = await openLog(readConfig(login(role)).read(logVariables), { topics: topicsOf([role]) })
      opened.push(log)
      await Promise.all(writes.map(topic => log.append(topic, [{ key: 'a', value: '{}' }])))
      await Promise.all(reads.map(async topic => (await log.watch(topic, () => {})).caughtUp))
      for (const { topic, group } of groups.slice(0, 3)) {
        const { promise, resolve } = Promise.withResolvers<void>()
        await log.follow(topic, group, () => resolve())
        if (writes.some(({ name }) => name === topic.name)) await promise
      }
      for (const { topic, group } of groups) await log.lag(topic, group)

      // It does not even see the other topics.
      const own = clientOf(role).admin()
      await own.connect()
      expect((await own.listTopics()).toSorted()).toEqual(
        topicsOf([role])
          .map(({ name }) => name)
          .toSorted(),
      )
      await expect(own.createTopics({ topics: [{ topic: 'facts' }] })).rejects.toThrow()
      await expect(own.deleteTopics({ topics: [(writes[0] as Topic).name] })).rejects.toThrow()
      await own.disconnect()
      const forbidden = all.filter(({ name }) => !writes.some(own => own.name === name))
      const producer = clientOf(role).producer()
      await producer.connect()
      await Promise.all(
        forbidden.map(({ name: topic }) =>
          expect(producer.send({ topic, messages: [{ value: '{}' }] }), topic).rejects.toThrow(
            /Not authorized to access topics/,
          ),
        ),
      )
      await producer.disconnect()
    })

    it('let an operator read a topic, and write nothing', async () => {
      const topic = tillPromises.topic
      const query = await openLog(readConfig(login('query')).read(logVariables), { topics: [topic] })
      await query.append(topic, [{ key: 'seen', value: '{}' }])
      await query.close()
      const { promise, resolve } = Promise.withResolvers<void>()
      const reading = await readAlong(
        readConfig(login('operator')).read(logVariables),
        topic,
        batch => void (batch.some(({ key }) => key === 'seen') && resolve()),
        { from: 'beginning' },
      )
      await promise
      await reading.close()
      const producer = clientOf('operator').producer()
      await producer.connect()
      const sent = producer.send({ topic: topic.name, messages: [{ value: '{}' }] })
      await expect(sent).rejects.toThrow(/Not authorized/)
      await producer.disconnect()
    })

    it('a role reports topics that nobody has created', async () => {
      const access = await placeOf(readConfig(login('render')).read(logVariables)).kafka()
      // It waits for an operator to create them, as for a broker that is away.
      const started = openKafkaLog(access, { topics: [topicOf()], startMs: 500 })
      await expect(started).rejects.toThrow(/may not create topics in Kafka, and these are missing: facts/)
    })
  })

  it('no line of output holds a secret', () => {
    expect(said.join()).not.toContain(secret)
  })
}
