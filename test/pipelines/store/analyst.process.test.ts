import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type ClickHouseClient,
  ClickHouseLogLevel,
  type ClickHouseSettings,
  createClient,
} from '@clickhouse/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { openStore } from '../../../pipelines/store/open.ts'
import type { Store } from '../../../pipelines/store/store.ts'
import { type Dataset, defineDataset, field, latest } from '../../../schemas/dataset.ts'
import { rejects } from '../../../schemas/rejects.ts'

const tickets = defineDataset({
  name: 'tickets',
  about: 'Tickets',
  fields: { id: field(z.string(), 'String', 'Id'), price: field(z.string(), 'Decimal(18, 6)', 'Price') },
  key: ['id'],
  identity: ['id'],
  views: [latest({ name: 'ticket_now', about: 'Tickets now', key: ['id'] })],
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
  it('read tables and views through a common client, a fact counted once', async () => {
    expect(await ask('select id, price from tickets')).toEqual([{ id: 'a', price: 0.5 }])
    expect(await ask('select count() as n from farebox.ticket_now')).toEqual([{ n: 1 }])
  })

  it('name a format', async () => {
    expect(await send('select id from tickets format CSV')).toMatchObject({ status: 200, text: '"a"\n' })
  })

  it('look around as drivers do, and finds nothing of the service', async () => {
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

  // In the embedded engine the function file() needs no grant, so its replacement must hold in every place.
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

  it('slip out of the limits with another profile', async () => {
    for (const profile of ['default', 'farebox']) {
      expect(
        await ask("select getSetting('max_execution_time') as seconds", { profile } as ClickHouseSettings),
      ).toEqual([{ seconds: 30 }])
      await expect(ask('select 1', { profile, max_execution_time: 0 } as ClickHouseSettings)).rejects.toThrow(
        /shouldn't be/,
      )
    }
  })

  it('take more than a million rows, or a gigabyte of memory', async () => {
    await expect(ask('select * from numbers(1000001)')).rejects.toThrow(/Limit for result/)
    await expect(ask('select length(groupArray(number)) from numbers(500000000)')).rejects.toThrow(
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
