import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import {
  type ClickHouseClient,
  ClickHouseLogLevel,
  type ClickHouseSettings,
  createClient,
} from '@clickhouse/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { openStore } from '../../../../pipelines/rails/store/open-store.ts'
import type { Store } from '../../../../pipelines/rails/store/store.ts'
import { type Dataset, defineDataset, field, latest, type View } from '../../../../schemas/dataset/dataset.ts'
import { rejects } from '../../../../schemas/rejects.ts'
import { until } from '../../../until.ts'
import { nativeSession } from './native-client.ts'

const ticketNow = latest({ name: 'ticket_now', about: 'Tickets now', key: ['id'] }) as unknown as View
const tickets = defineDataset({
  name: 'tickets',
  about: 'Tickets',
  fields: { id: field(z.string(), 'String', 'Id'), price: field(z.string(), 'Decimal(18, 6)', 'Price') },
  key: ['id'],
  identity: ['id'],
  views: [ticketNow],
}) as unknown as Dataset

let folder: string
let store: Store
let analyst: ClickHouseClient

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'farebox-'))
  store = await openStore(`embedded:${join(folder, 'store')}`)
  await store.apply([tickets, rejects as unknown as Dataset])
  for (const version of [1n, 2n]) await store.insert(tickets, [{ event: { id: 'a', price: '0.5' }, version }])
  const log = { level: ClickHouseLogLevel.OFF }
  analyst = createClient({ url: store.address.http, username: 'analyst', log })
})
afterAll(async () => {
  await analyst.close()
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

const ask = async (query: string, clickhouse_settings: ClickHouseSettings = {}): Promise<unknown[]> =>
  (await analyst.query({ query, format: 'JSONEachRow', clickhouse_settings })).json()
/** Sends a query without the additions of a client library. */
const send = async (query: string, settings: Record<string, string> = {}) => {
  const parameters = new URLSearchParams({ user: 'analyst', ...settings })
  const answer = await fetch(`${store.address.http}/?${parameters}`, { method: 'POST', body: query })
  return {
    status: answer.status,
    text: await answer.text(),
    cors: answer.headers.get('access-control-allow-origin'),
  }
}

describe('an analyst may', () => {
  it('read tables and views through a common client, each fact counted once', async () => {
    expect(await ask('select id, price from tickets')).toEqual([{ id: 'a', price: 0.5 }])
    expect(await ask('select count() as n from farebox.ticket_now')).toEqual([{ n: 1 }])
  })

  it('name a format', async () => {
    expect(await send('select id from tickets format CSV')).toMatchObject({ status: 200, text: '"a"\n' })
  })

  it('look around as drivers do, but finds nothing of the service', async () => {
    const mine = { names: ['ticket_now', 'tickets'] }
    for (const query of [
      `select arraySort(groupArray(name)) as names from system.tables where database like 'farebox%'`,
      `select arraySort(groupUniqArray(table)) as names from system.columns where database like 'farebox%'`,
      `select arraySort(groupArray(table_name)) as names from information_schema.tables where table_schema like 'farebox%'`,
    ])
      expect(await ask(query), query).toEqual([mine])
    expect(await ask(`select groupUniqArray(table) as names from system.parts`)).toEqual([
      { names: ['tickets'] },
    ])
    expect(await ask('show tables')).toHaveLength(2)
    expect(await ask('show databases')).not.toContainEqual({ name: 'farebox_private' })
    await ask('describe table ticket_now')
    for (const table of [
      'settings',
      'functions',
      'data_type_families',
      'table_engines',
      'dictionaries',
      'data_skipping_indices',
    ])
      await ask(`select * from system.${table} limit 1`)
  })

  it('send the settings that drivers send', async () => {
    await ask('select 1', {
      max_execution_time: 60,
      max_result_rows: '1000',
      result_overflow_mode: 'break',
      max_block_size: '1000',
      output_format_json_quote_64bit_integers: 0,
      date_time_output_format: 'iso',
      send_progress_in_http_headers: 1,
      wait_end_of_query: 1,
      session_timezone: 'UTC',
      log_comment: 'a driver',
      extremes: 1,
    })
  })
})

/** On Linux the engine may set nice values if it has CAP_SYS_NICE, the bit 23. */
const setsNice = () => {
  if (process.platform !== 'linux') return false
  const [, held = '0'] = readFileSync('/proc/self/status', 'utf8').match(/^CapEff:\s*(\w+)/m) ?? []
  return ((BigInt(`0x${held}`) >> 23n) & 1n) === 1n
}

/** The nice values of the threads of each query that is under way and has `word` in it. */
async function niceOf(word: string): Promise<Record<string, number[]>> {
  const queries = await store.query<{ query: string; thread_ids: string[] }>(
    'select query, thread_ids from system.processes where position(query, {word: String}) > 0 and query not like {own: String}',
    { word, own: '%system.processes%' },
  )
  const engine = readdirSync('/proc').find(pid =>
    existsSync(`/proc/${pid}/task/${queries[0]?.thread_ids[0]}`),
  )
  const niceOfThread = (thread: string) => {
    const path = `/proc/${engine}/task/${thread}/stat`
    return existsSync(path) ? Number(readFileSync(path, 'utf8').split(') ').at(-1)?.split(' ')[16]) : []
  }
  return Object.fromEntries(
    queries.map(({ query, thread_ids }) => [
      query.match(/\/\* (\w+) \*\//)?.[1] ?? query,
      [...new Set(thread_ids.flatMap(niceOfThread))],
    ]),
  )
}

describe('beside the service, an analyst', () => {
  const many = 'numbers_mt(100000000000) where sipHash64(number) = 1'
  const endless = (who: string) =>
    `select count() /* ${who} */ from ${many} settings max_execution_time = 120`

  it('has no query that waits for another', async () => {
    expect(await ask("select getSetting('priority') as level")).toEqual([{ level: 0 }])
    expect(await store.query("select getSetting('priority') as level")).toEqual([{ level: 0 }])
  })

  it.skipIf(!setsNice())(
    'has less weight than a sink, which has less than a question of a caller',
    async () => {
      const running = new AbortController()
      const asked = Promise.allSettled([
        fetch(`${store.address.http}/?user=analyst`, {
          method: 'POST',
          body: endless('analyst'),
          signal: running.signal,
        }),
        store.query(endless('sink')),
        store.read(ticketNow, `where (${endless('call')}) = 1`),
      ])
      const all = { analyst: [15], sink: [10], call: [5] }
      let nice: Record<string, number[]> = {}
      const weighed = async () => {
        nice = await niceOf(many)
        return isDeepStrictEqual(nice, all)
      }
      await until(weighed, 'each query to have its weight').catch(() => expect(nice).toEqual(all))
      // A user may kill what it has asked.
      await store.query(`kill query where position(query, 'sipHash64') > 0 and user = 'farebox' sync`)
      running.abort()
      await asked
    },
  )
})

/** The refusal of the last statement, or `ok`, for each way to the engine. */
const ways = {
  HTTP: async (...statements: string[]) => {
    const session_id = randomUUID()
    let last = 'ok'
    for (const statement of statements) {
      const { status, text } = await send(statement, { session_id })
      last = status === 200 ? 'ok' : text
    }
    return last
  },
  native: (...statements: string[]) => nativeSession(store.address.tcp as string, 'analyst', statements),
}
const denied = /Not enough privileges|necessary to have the grant/

describe.each(Object.entries(ways))('an analyst may not, over %s,', (_, ask) => {
  it('connects at all', async () => {
    expect(await ask('select id from tickets')).toBe('ok')
    expect(await ask('set max_threads = 1', 'select id from tickets')).toBe('ok')
  })

  const address = '127.0.0.1:1'
  it.each([
    `url('http://${address}/', 'CSV', 'x String')`,
    `s3('http://${address}/bucket/key', 'CSV', 'x String')`,
    `gcs('http://${address}/bucket/key', 'CSV', 'x String')`,
    `iceberg('http://${address}/bucket/key/')`,
    `deltaLake('http://${address}/bucket/key/')`,
    `hudi('http://${address}/bucket/key/')`,
    `azureBlobStorage('http://${address}/', 'c', 'k', 'a', 'YQ==', 'CSV', 'auto', 'x String')`,
    `hdfs('hdfs://${address}/a', 'CSV', 'x String')`,
    "file('/etc/hosts', 'LineAsString')",
    "filesystem('/etc')",
    `remote('${address}', 'system', 'one')`,
    `remoteSecure('${address}', 'system', 'one')`,
    `mysql('${address}', 'a', 'b', 'c', 'd')`,
    `postgresql('${address}', 'a', 'b', 'c', 'd')`,
    `mongodb('${address}', 'a', 'b', 'c', 'd', 'x String')`,
    `redis('${address}', 'k', 'k String, v String')`,
    "sqlite('/etc/a', 'b')",
    "jdbc('jdbc:sqlite:a', 'b', 'c')",
    "odbc('DSN=a', 'b', 'c')",
    `ytsaurus('http://${address}', '//tmp', 't', 'a String')`,
    "executable('ls', 'TSV', 'x String')",
    "dictionary('x')",
    'loop(system.users)',
  ])('read by %s', async source => {
    expect(await ask(`select * from ${source}`)).toMatch(denied)
    expect(await ask(`select (select count() from ${source})`)).toMatch(denied)
  })

  it.each([
    ["select * from cluster('default', system.users)", /Requested cluster 'default' not found/],
    ["select * from clusterAllReplicas('default', system.users)", /Requested cluster 'default' not found/],
    [
      "select * from s3Cluster('default', 'http://127.0.0.1:1/bucket/key', 'CSV', 'x String')",
      /Requested cluster/,
    ],
    ["select * from merge('farebox_private', '.*')", /no tables satisfied/],
    ["select * from merge('system', 'processes')", /no tables satisfied/],
    ["select * from input('x String')", /must be used only in INSERT/],
    ["select dictGet('x', 'y', 1)", /not found/],
    ["select catboostEvaluate('/etc/hosts', 1)", /catboost_lib_path/],
    ["select aiGenerate('x')", /experimental/],
    ["select getClientHTTPHeader('x')", /requires setting|FUNCTION_NOT_ALLOWED|to be enabled/],
    ["restore table tickets from Disk('default', 'x')", /backups.allowed_disk/],
    ['execute as farebox select 1', /IMPERSONATE feature is disabled/],
    ['set role farebox', /no role/],
  ])('%s', async (statement, why) => {
    expect(await ask(statement)).toMatch(why)
  })

  it.each([
    "create dictionary d (x UInt64) primary key x source(http(url 'http://127.0.0.1:1/' format 'CSV')) layout(flat()) lifetime(1)",
    'create function run as x -> x',
    'create named collection c as x = 1',
    'create workload w',
    'system flush logs',
    'system reload dictionaries',
    'system drop mark cache',
    'system stop merges tickets',
    'system sync replica tickets',
    "kill query where user = 'farebox'",
    'kill mutation where 1',
    'show create user analyst',
    'show grants for farebox',
    'show access',
    'show create table farebox_private.rejects',
    'describe farebox_private.rejects',
    "select hasColumnInTable('farebox_private', 'rejects', 'event')",
    'detach table tickets',
    'exchange tables tickets and ticket_now',
    ...[
      'processes',
      'query_log',
      'session_log',
      'text_log',
      'users',
      'grants',
      'quotas',
      'settings_profiles',
      'clusters',
    ]
      .concat([
        'disks',
        'macros',
        'server_settings',
        'named_collections',
        'backups',
        'errors',
        'stack_trace',
        'events',
      ])
      .concat(['metrics', 'asynchronous_metrics', 'mutations', 'merges', 'replicas', 'zookeeper', 'warnings'])
      .map(table => `select * from system.${table}`),
  ])('%s', async statement => {
    expect(await ask(statement)).toMatch(
      /Not enough privileges|necessary to have the grant|does not exist|Unknown table/,
    )
  })

  const raised = {
    priority: 1,
    os_thread_priority: -10,
    os_threads_nice_value_query: 5,
    os_threads_nice_value_materialized_view: -10,
    workload: "'x'",
    max_untracked_memory: 100_000_000_000,
    max_memory_usage: 0,
    max_execution_time: 0,
    max_threads: 64,
    max_result_rows: 0,
    readonly: 0,
    send_logs_level: "'trace'",
    allow_experimental_ai_functions: 1,
    allow_get_client_http_header: 1,
  }
  it.each(Object.entries(raised))('set %s = %s, at any level', async (name, value) => {
    const refused = /should not be changed|shouldn't be|Cannot modify/
    expect(await ask(`select 1 settings ${name} = ${value}`)).toMatch(refused)
    expect(await ask(`set ${name} = ${value}`)).toMatch(refused)
    expect(await ask(`explain select 1 settings ${name} = ${value}`)).toMatch(refused)
  })

  it.each([
    "select * from url('http://127.0.0.1:1/', 'CSV', 'x String') settings readonly = 0",
    'select * from farebox_private.rejects settings readonly = 0',
    'select demangle(toString(1)) settings allow_introspection_functions = 1',
  ])('get a right inside a subquery: %s', async inner => {
    expect(await ask(`select * from (${inner})`)).toMatch(denied)
  })

  it('write a file, or see the queries of others', async () => {
    const file = join(folder, 'told')
    await ask(`select 1 into outfile '${file}'`)
    await ask(`select 1 into outfile '${file}' append and stdout`)
    expect(existsSync(file)).toBe(false)
    expect(await ask('show processlist')).toMatch(denied)
  })
})

// The engine accepts settings of a subquery without a check. The limits of the whole query must hold all the same.
describe('an analyst may not get past a limit', () => {
  it.each([
    [
      'select length(groupArray(number)) from numbers(500000000) settings max_memory_usage = 0',
      {},
      /memory limit/,
    ],
    [
      'select sum(sleepEachRow(1)) from numbers(30) settings max_execution_time = 0, max_block_size = 1',
      { max_execution_time: '1' },
      /Timeout exceeded/,
    ],
    ['select number from numbers(2000000) settings max_result_rows = 0', {}, /Limit for result/],
  ])('inside a subquery: %s', async (inner, settings, why) => {
    const { text } = await send(`select * from (${inner})`, { ...settings, wait_end_of_query: '1' })
    expect(text).toMatch(why)
  })
})

describe('the HTTP port', () => {
  it.each(['/play', '/ping'])('answers at %s', async path => {
    expect((await fetch(store.address.http + path)).status).toBe(200)
  })

  it.each([
    '/dashboard',
    '/binary',
    '/merges',
    '/jemalloc',
    '/schema',
    '/webterminal',
    '/clickstack',
    '/replicas_status',
  ])('has no %s', async path => {
    expect((await fetch(store.address.http + path)).status).toBe(404)
  })
})

describe('an analyst may not', () => {
  it.each([
    'select * from farebox_private.rejects',
    'select * from system.processes',
    'show processlist',
    'select * from system.query_cache',
    'select * from system.users',
    'select * from system.server_settings',
    "select * from file('/etc/hosts', 'LineAsString')",
    "select * from url('http://127.0.0.1:1/', 'LineAsString')",
    "select * from remote('127.0.0.1', 'system', 'one')",
    "select * from s3('http://127.0.0.1:1/bucket/key', 'CSV', 'x String')",
    "select * from mysql('127.0.0.1:1', 'a', 'b', 'c', 'd')",
    "select * from sqlite('/etc/a', 'b')",
    "insert into function file('written.csv') select 1",
    "insert into tickets (id) values ('b')",
    'create table farebox.mine (a Int8) engine = Memory',
    'create temporary table mine (a Int8)',
    'create view farebox.mine as select 1',
    'create function mine as x -> x',
    'create user mine',
    'grant select on *.* to analyst',
    'alter table tickets delete where 1',
    'truncate table tickets',
    'optimize table tickets',
    'drop table tickets',
    'rename table tickets to mine',
    "backup table tickets to Disk('default', 'mine')",
    'kill query where 1',
    'system stop listen http',
    'system shutdown',
    'use farebox_private',
  ])('%s', async query => {
    expect((await send(query)).text).toContain('ACCESS_DENIED')
  })

  it('write a file', async () => {
    const file = join(folder, 'written')
    expect((await send(`select 1 into outfile '${file}' format CSV`)).text).toContain(
      'INTO_OUTFILE_NOT_ALLOWED',
    )
    expect((await send('select 1 as x format Protobuf', { output_format_schema: file })).text).toContain(
      'SETTING_CONSTRAINT',
    )
    expect(existsSync(file)).toBe(false)
  })

  // In the embedded engine the function file() needs no grant, so its replacement must work everywhere.
  const path = "'/proc/self/environ'"
  it.each([
    [`select file(${path})`],
    [`select file(${path}, 'x')`],
    [`select file(${path}, null)`],
    [`select * apply(file) from (select ${path} as x)`],
    [`select arrayMap(x -> file(x), [${path}])`],
    [`select arrayMap(file, [${path}])`],
    [`with (x -> file(x)) as f select f(${path})`],
    [`select * from view(select file(${path}))`],
    [`select * from values('x String', file(${path}))`],
    ['select 1', { additional_result_filter: `file(${path}) = ''` }],
    [
      'select * from tickets',
      { additional_table_filters: `{'farebox.tickets': 'file(\\'/etc/hosts\\') = \\'\\''}` },
    ],
    ['select 1 as x format Template', { format_template_row: '/etc/hosts' }],
    ['select 1 as x format Protobuf', { format_schema: '/etc/hosts:X' }],
  ] as [string, Record<string, string>?][])('read a file by %s', async (query, settings = {}) => {
    for (const analyzer of ['0', '1']) {
      const { status, text } = await send(query, { ...settings, enable_analyzer: analyzer })
      expect(status, text).toBeGreaterThanOrEqual(400)
      expect(text).not.toContain('STORE_PASSWORD')
    }
  })

  it.each([
    { max_execution_time: 0 },
    { max_execution_time: 3600 },
    { max_memory_usage: '0' },
    { max_memory_usage: '100000000000' },
    { max_result_rows: '0' },
    { max_result_rows: '1000000000' },
    { max_result_bytes: '0' },
    { max_concurrent_queries_for_user: '0' },
    { max_memory_usage_for_user: '0' },
    { max_temporary_data_on_disk_size_for_query: '0' },
    { readonly: '0' },
    { add_http_cors_header: 1 },
  ] as ClickHouseSettings[])('set %o', async settings => {
    await expect(ask('select 1', settings)).rejects.toThrow(/shouldn't be|should not be|Cannot modify/)
  })

  it('escape the limits with another profile', async () => {
    const profile = 'default'
    expect(
      await ask("select getSetting('max_execution_time') as seconds", { profile } as ClickHouseSettings),
    ).toEqual([{ seconds: 30 }])
    await expect(ask('select 1', { profile, max_execution_time: 0 } as ClickHouseSettings)).rejects.toThrow(
      /shouldn't be/,
    )
    await expect(ask('select 1', { profile: 'farebox' } as ClickHouseSettings)).rejects.toThrow(
      /os_threads_nice_value_query should not be changed/,
    )
  })

  it('take more than a million rows, or a gigabyte of memory', async () => {
    await expect(ask('select * from numbers(1000001)')).rejects.toThrow(/Limit for result/)
    // One array of 1.6 GB. A growing sum could hit its time limit first on a busy machine.
    await expect(ask('select length(range(number + 200000000)) from numbers(1)')).rejects.toThrow(
      /memory limit/,
    )
  })

  it('be the service, or the user that starts the engine', async () => {
    for (const user of ['farebox', 'nobody'])
      expect((await send('select 1', { user })).text, user).toContain('AUTHENTICATION_FAILED')
    for (const query of [
      'system stop listen http',
      'select * from farebox.tickets',
      'select number from system.numbers limit 1',
    ])
      expect((await send(query, { user: 'default' })).text, query).toMatch(/QUOTA_EXCEEDED|ACCESS_DENIED/)
  })
})
