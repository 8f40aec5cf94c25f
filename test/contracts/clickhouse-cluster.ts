/**
 * Two embedded engines as the two shards of a cluster. Neither has Keeper, so a proxy in front of the first does the
 * work of Keeper: it sends a statement for all servers to both, and copies a rebuilt view to the other.
 */
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type Engine, startEngine } from '../../pipelines/rails/store/embedded.ts'
import { freePorts } from './java.ts'

const read = (file: string) =>
  readFileSync(new URL(`../../deploy/clickhouse/${file}`, import.meta.url), 'utf8')

/** The cluster of deploy/clickhouse/cluster.xml, on these ports. */
const clusterOf = (ports: readonly number[]) =>
  `<remote_servers><farebox><secret>theirs</secret>${ports
    .map(
      port =>
        `<shard><internal_replication>true</internal_replication><replica><host>127.0.0.1</host><port>${port}</port></replica></shard>`,
    )
    .join('')}</farebox></remote_servers>`

export interface ClickHouseCluster {
  /** The address of the first shard, for openStore with the cluster `farebox`. */
  url: string
  /** The engines themselves, without the door. */
  shards: readonly Engine[]
  /** Every statement that was sent to all servers. */
  told: string[]
  close(): Promise<void>
}

const unexpected = (name: string, error: unknown) => {
  throw new Error(`${name}: ${error}`)
}

export async function startClickHouseCluster(
  folder: string,
  onProblem: (name: string, error: unknown) => void = unexpected,
): Promise<ClickHouseCluster> {
  const ports = await freePorts(4)
  const tcpPorts = ports.slice(2)
  const configFile = join(folder, 'config.xml')
  const extra = clusterOf(tcpPorts)
  writeFileSync(configFile, read('embedded.xml').replace('</clickhouse>', `${extra}</clickhouse>`))
  const usersFile = join(folder, 'users.xml')
  writeFileSync(usersFile, read('users.xml'))
  mkdirSync(join(folder, 'users.d'))
  writeFileSync(join(folder, 'users.d', 'cluster-users.xml'), read('cluster-users.xml'))
  const shards = await Promise.all(
    tcpPorts.map((tcpPort, n) =>
      startEngine({
        folder: join(folder, `shard-${n}`),
        httpPort: ports[n] as number,
        tcpPort,
        configFile,
        usersFile,
        analystPassword: '',
        onProblem,
      }),
    ),
  )
  const told: string[] = []
  const door = createServer((asked, answer) => void pass(asked, answer, shards, told))
  door.listen(0, '127.0.0.1')
  await once(door, 'listening')
  return {
    url: `http://farebox:theirs@127.0.0.1:${(door.address() as AddressInfo).port}/farebox`,
    shards,
    told,
    async close() {
      door.closeAllConnections()
      door.close()
      await Promise.all(shards.map(shard => shard.close()))
    },
  }
}

async function pass(
  asked: IncomingMessage,
  answer: ServerResponse,
  shards: readonly Engine[],
  told: string[],
): Promise<void> {
  const [first, ...others] = shards
  const body = await buffer(asked)
  const sql = body.toString('utf8')
  const forAll = !asked.url?.includes('query=') && / on cluster \w+/.test(sql)
  if (forAll) told.push(sql)
  const statement = forAll ? Buffer.from(alone(sql)) : body
  for (const shard of forAll ? others : []) {
    const { status, text } = await sent(asked, statement, shard)
    if (status !== 200) {
      answer.writeHead(status, { 'x-clickhouse-exception-code': '1' }).end(text)
      return
    }
  }
  const reply = await answered(asked, statement, first as Engine)
  const [, view] = /^insert into (\S+_next) /.exec(sql) ?? []
  if (view && reply.statusCode === 200) {
    const from = `remote('${first?.address.tcp}', ${view}, 'farebox', '${first?.password}')`
    const copy = Buffer.from(`insert into ${view} select * from ${from}`)
    // The first engine has the rows once its answer has ended.
    const whole = await buffer(reply)
    for (const shard of others) await sent(asked, copy, shard)
    answer.writeHead(200, reply.headers).end(whole)
    return
  }
  answer.writeHead(reply.statusCode ?? 500, reply.headers)
  reply.pipe(answer)
}

/** The part of such a statement that one server runs: the same, without copies elsewhere. */
const alone = (sql: string): string =>
  /^system sync replica/.test(sql)
    ? 'select 1'
    : sql
        .replaceAll(/ on cluster \w+/g, '')
        .replaceAll(/Replicated(\w*MergeTree)\('[^']+', '\{replica\}'(?:, )?/g, '$1(')

async function answered(asked: IncomingMessage, body: Buffer, shard: Engine): Promise<IncomingMessage> {
  const authorization = `Basic ${Buffer.from(`farebox:${shard.password}`).toString('base64')}`
  const { host: _, 'content-length': __, 'transfer-encoding': ___, ...headers } = asked.headers
  const sending = request(new URL(asked.url ?? '/', shard.address.http), {
    method: asked.method ?? 'POST',
    headers: { ...headers, authorization, 'content-length': body.length },
  })
  sending.end(body)
  const [reply] = (await once(sending, 'response')) as [IncomingMessage]
  return reply
}

async function sent(asked: IncomingMessage, body: Buffer, shard: Engine) {
  const reply = await answered(asked, body, shard)
  return { status: reply.statusCode ?? 500, text: await buffer(reply) }
}
