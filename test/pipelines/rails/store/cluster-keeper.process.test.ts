/**
 * The statements for a cluster as they are, on the servers of two shards with a real ZooKeeper and the deployed configuration: the copies
 * of a shard find each other there. The embedded engine writes to no table with copies, so its rows are not seen here.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { type Engine, startEngine } from '../../../../pipelines/rails/store/embedded.ts'
import { openStore } from '../../../../pipelines/rails/store/open-store.ts'
import { datasets } from '../../../../schemas/index.ts'
import { startClickHouseCluster } from '../../../contracts/clickhouse-cluster.ts'
import { freePorts, hasMaven } from '../../../contracts/java.ts'
import { startZookeeper } from '../../../contracts/zookeeper.ts'
import { scratchFolder } from '../../../scratch.ts'

const missing = !process.env.LONG_FORM
  ? 'LONG_FORM is unset'
  : (await hasMaven())
    ? undefined
    : 'no mvn with Java 17 is here'
const longMs = 600_000

const read = (file: string) =>
  readFileSync(new URL(`../../../../deploy/clickhouse/${file}`, import.meta.url), 'utf8')

/** As in cluster.xml: the shard of each server, and its name. */
const servers = [
  { shard: '1', replica: 'clickhouse-0' },
  { shard: '1', replica: 'clickhouse-1' },
  { shard: '2', replica: 'clickhouse-2' },
] as const

/** The configuration of deploy/, for a server on this machine. */
function configOf(
  { shard, replica }: (typeof servers)[number],
  tcp: readonly number[],
  keeper: number,
): string {
  const values = { SHARD: shard, REPLICA: replica, CLUSTER_SECRET: 'theirs' }
  const cluster = read('cluster.xml')
    .replaceAll(
      /<(\w+) from_env="(SHARD|REPLICA|CLUSTER_SECRET)"\/>/g,
      (_, tag: string, name: keyof typeof values) => `<${tag}>${values[name]}</${tag}>`,
    )
    .replaceAll(
      /<host>clickhouse-(\d)<\/host><port>9000<\/port>/g,
      (_, n: string) => `<host>127.0.0.1</host><port>${tcp[Number(n)]}</port>`,
    )
    .replaceAll(/<host>keeper-\d<\/host><port>9181<\/port>/g, `<host>127.0.0.1</host><port>${keeper}</port>`)
  const [, settings] = /<clickhouse>([\s\S]*)<\/clickhouse>/.exec(cluster) as unknown as [string, string]
  return read('embedded.xml').replace('</clickhouse>', `${settings}</clickhouse>`)
}

/** Every statement for all servers that a new cluster hears. */
async function statementsOf(folder: string): Promise<readonly string[]> {
  mkdirSync(folder)
  const cluster = await startClickHouseCluster(folder)
  const store = await openStore(cluster.url, { cluster: 'farebox' })
  await store.apply(datasets)
  await store.close()
  await cluster.close()
  return cluster.told
}

async function startServers(folder: string, keeper: number): Promise<Engine[]> {
  // The fourth server of cluster.xml is away.
  const ports = await freePorts(2 * servers.length + 1)
  const tcp = ports.slice(servers.length)
  const usersFile = join(folder, 'users.xml')
  writeFileSync(usersFile, read('users.xml'))
  const engines = servers.map((server, n) => {
    const configFile = join(folder, `${server.replica}.xml`)
    writeFileSync(configFile, configOf(server, tcp, keeper))
    return startEngine({
      ...{ folder: join(folder, server.replica), configFile, usersFile, analystPassword: '' },
      ...{ httpPort: ports[n] as number, tcpPort: tcp[n] as number },
      onProblem: (name, error) => {
        throw new Error(`${name}: ${error}`)
      },
    })
  })
  return Promise.all(engines)
}

async function told({ address, password }: Engine, body: string): Promise<string> {
  const url = `${address.http}/?user=farebox&password=${password}&wait_end_of_query=1`
  return (await (await fetch(url, { method: 'POST', body })).text()).trim()
}

it.skipIf(missing)(
  missing
    ? `copies of a shard in ZooKeeper: ${missing}`
    : 'copies of a shard find each other in ZooKeeper, and no other shard’s',
  async () => {
    const folder = scratchFolder()
    const statements = await statementsOf(join(folder, 'first'))
    const keeper = await startZookeeper(join(folder, 'zookeeper'))
    onTestFinished(() => keeper.close())
    const engines = await startServers(folder, keeper.port)
    onTestFinished(() => Promise.all(engines.map(engine => engine.close())).then(() => {}))
    const [one, other, third] = engines as [Engine, Engine, Engine]

    // Each server gets the statements for all one by one: their queue is the work of a whole server,
    // and so are changes of tables with copies.
    const copied = statements.flatMap(sql => /Replicated\w*MergeTree\('([^']+)'/.exec(sql)?.[1] ?? [])
    expect(copied.length).toBeGreaterThan(datasets.length / 2)
    for (const engine of engines)
      for (const sql of statements)
        if (/^create /.test(sql))
          expect([sql, await told(engine, sql.replaceAll(/ on cluster \w+/g, ''))]).toEqual([sql, ''])

    const inKeeper = new Set(await keeper.paths('/clickhouse/tables'))
    const names = servers.map(({ replica }) => replica)
    const copies = (path: string) => names.filter(name => inKeeper.has(`${path}/replicas/${name}`))
    for (const path of copied)
      if (path.includes('{shard}'))
        for (const shard of ['1', '2'])
          expect([path, shard, copies(path.replace('{shard}', shard))]).toEqual([
            path,
            shard,
            servers.filter(server => server.shard === shard).map(({ replica }) => replica),
          ])
      else expect([path, copies(path)]).toEqual([path, names])

    // A copy whose columns differ from those in ZooKeeper is none.
    const [path] = copied as [string]
    const differs = `create table farebox.differs (x UInt8) engine = ReplicatedMergeTree('${path.replace('{shard}', '1')}', 'differs') order by x`
    expect(await told(third, differs)).toMatch(/columns|METADATA_MISMATCH|INCOMPATIBLE_COLUMNS/i)

    // What no embedded engine does. A whole server does it, and where an engine can, more must be shown here.
    const row =
      "insert into farebox_local.settlements (spend_id) settings insert_keeper_max_retries = 0 values ('x')"
    expect(await told(one, row)).toContain('TABLE_IS_READ_ONLY')
    expect(
      await told(other, `create table farebox.x on cluster farebox (x UInt8) engine = Memory`),
    ).toContain('Replicated DDL queries are disabled')
  },
  longMs,
)
