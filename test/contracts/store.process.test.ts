import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Wait } from 'testcontainers'
import { expect, test } from 'vitest'
import { engineOf, startEngine } from '../../pipelines/rails/store/embedded.ts'
import { openStore } from '../../pipelines/rails/store/open-store.ts'
import { until } from '../until.ts'
import { startClickHouseCluster } from './clickhouse-cluster.ts'
import { containerOf } from './container.ts'
import { storeContract } from './store.ts'

const folder = () => mkdtempSync(join(tmpdir(), 'farebox-'))
const remove = (path: string) => rmSync(path, { recursive: true, force: true })
const fail = (name: string, error: unknown) => {
  throw new Error(`${name}: ${error}`)
}

storeContract('embedded', async () => {
  const path = folder()
  const store = await openStore(`embedded:${path}`, { onProblem: fail })
  return {
    store,
    database: 'farebox',
    close: async () => {
      await store.close()
      remove(path)
    },
  }
})

// A server that the service did not start: another process with its own users and another database.
storeContract('a server', async () => {
  const path = folder()
  const usersFile = join(path, 'users.xml')
  const users = readFileSync('deploy/clickhouse/users.xml', 'utf8')
  writeFileSync(usersFile, users.replaceAll('ON farebox', 'ON fares'))
  const server = await startEngine({
    folder: path,
    httpPort: 0,
    tcpPort: 0,
    usersFile,
    analystPassword: 'a password',
    onProblem: fail,
  })
  const store = await openStore(
    server.address.http.replace('//', `//farebox:${server.password}@`).concat('/fares'),
  )
  return {
    store,
    database: 'fares',
    close: async () => {
      await store.close()
      await server.close()
      remove(path)
    },
  }
})

test('a change of a whole table that fails is told, until somebody ends it', async () => {
  const path = folder()
  const store = await openStore(`embedded:${path}`, { onProblem: fail })
  const engine = await engineOf(path)
  const command = (sql: string) =>
    fetch(`${engine?.url}/?database=farebox&mutations_sync=0`, {
      method: 'POST',
      headers: { 'x-clickhouse-user': 'farebox', 'x-clickhouse-key': engine?.password ?? '' },
      body: sql,
    })
  for (const sql of [
    'create table few (a UInt8, b UInt8) engine = MergeTree order by a',
    'insert into few values (1, 1)',
    'alter table few update b = throwIf(a = 1) where true',
  ])
    expect((await command(sql)).status).toBe(200)
  const changes = async () => {
    const [server] = (await store.condition()).servers
    return [server?.mutations, server?.failedMutations]
  }
  await until(async () => (await changes())[1] === 1, 'the change to fail')
  await command("kill mutation where table = 'few' sync")
  expect(await changes()).toEqual([0, 0])
  await store.close()
  remove(path)
})

storeContract('a cluster of two shards', async () => {
  const path = folder()
  const cluster = await startClickHouseCluster(path)
  const store = await openStore(cluster.url, { cluster: 'farebox' })
  return {
    store,
    database: 'farebox',
    cluster: 'farebox',
    close: async () => {
      await store.close()
      await cluster.close()
      remove(path)
    },
  }
})

const inDocker = await containerOf('clickhouse')
if ('skipped' in inDocker) test.skip(`the store, a server in a container: ${inDocker.skipped}`, () => {})
else
  storeContract('a server in a container', async () => {
    const server = await inDocker.container
      .withExposedPorts(8123)
      .withEnvironment({
        CLICKHOUSE_SKIP_USER_SETUP: '1',
        STORE_PASSWORD: 'ours',
        ANALYST_PASSWORD: 'theirs',
      })
      .withCopyFilesToContainer([
        { source: 'deploy/clickhouse/users.xml', target: '/etc/clickhouse-server/users.xml' },
        { source: 'deploy/clickhouse/http.xml', target: '/etc/clickhouse-server/config.d/http.xml' },
      ])
      .withWaitStrategy(Wait.forHttp('/ping', 8123))
      .start()
    const address = `${server.getHost()}:${server.getMappedPort(8123)}`
    const store = await openStore(`http://farebox:ours@${address}/farebox`)
    return {
      store,
      database: 'farebox',
      close: async () => {
        await store.close()
        await server.stop()
      },
    }
  })
