/**
 * An analyst who wants more than to read, and a web page that makes him ask for it. test/pipelines/rails/store/analyst tries the
 * rest.
 */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStore } from '../../pipelines/rails/store/open-store.ts'
import type { Store } from '../../pipelines/rails/store/store.ts'
import type { Dataset } from '../../schemas/dataset/dataset.ts'
import { rejects } from '../../schemas/rejects.ts'
import { scratchFolder } from '../scratch.ts'

let store: Store
const ends: (() => void)[] = []
beforeAll(async () => {
  store = await openStore(
    `embedded:${join(
      scratchFolder(end => ends.push(end)),
      'store',
    )}`,
  )
  await store.apply([rejects as unknown as Dataset])
})
afterAll(async () => {
  await store?.close()
  for (const end of ends) end()
})

interface Asked {
  query?: string
  body?: string | Buffer | undefined
  headers?: Record<string, string>
  more?: Record<string, string>
}

async function ask({ query, body = query, headers = {}, more = {} }: Asked) {
  const parameters = new URLSearchParams({ user: 'analyst', ...more })
  const request = body === undefined ? {} : { method: 'POST', body }
  const answer = await fetch(`${store.address.http}/?${parameters}`, { ...request, headers })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

describe('private data stays private', () => {
  const hidden = 'farebox_private'
  it.each<[string, Asked]>([
    ['by a comment in its name', { query: `select/**/*/**/from/**/${hidden}/**/.rejects` }],
    [
      'by a parameter as its name',
      { query: 'select * from {d:Identifier}.rejects', more: { param_d: hidden } },
    ],
    ['by another database to begin with', { query: 'select * from rejects', more: { database: hidden } }],
    ['by a second statement', { query: `select 1; select * from ${hidden}.rejects` }],
    ['by its index', { query: `select * from mergeTreeIndex('${hidden}', 'rejects')` }],
    ['by a plan', { query: `select * from viewExplain('EXPLAIN', '', (select * from ${hidden}.rejects))` }],
    ['by a role', { query: 'select 1', more: { role: 'farebox' } }],
    [
      'by a header that names another user',
      { query: 'select 1', headers: { 'x-clickhouse-user': 'farebox' } },
    ],
    ['by a table made on the way', { more: { query: `create table t engine = Memory as select 1` } }],
    [
      'by an address that is a parameter',
      { query: 'select * from url({u:String})', more: { param_u: 'http://127.0.0.1:1/' } },
    ],
    ['by a table that never ends', { query: 'select * from loop(system.users)' }],
  ])('%s', async (_, asked) => {
    const { status, text } = await ask(asked)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(text).not.toContain('"event"')
  })
})

describe('a query for everything ends by itself', () => {
  it.each<[string, string]>([
    [
      'a sum over more rows than there are grains',
      'select count() from numbers(100000000) a, numbers(100000000) b',
    ],
    [
      'a recursion',
      'with recursive t as (select 1 as n union all select n + 1 from t) select count() from t',
    ],
    ['a text of a terabyte', "select length(repeat(repeat('x', 1000000), 1000000))"],
    ['a list of a billion', 'select arrayJoin(range(1000000000))'],
    ['five thousand brackets', `select ${'('.repeat(5000)}1${')'.repeat(5000)}`],
    ['half a million columns', `select ${'1,'.repeat(300_000)}1`],
    ['sleep', 'select sleepEachRow(3) from numbers(100)'],
    ['made-up rows', "select * from generateRandom('a String', 1, 1000000000) limit 1000001 format Null"],
    [
      'a state that is none',
      "select quantileTDigestMerge(unhex('ffffffff')::AggregateFunction(quantileTDigest, UInt64))",
    ],
  ])('%s', async (_, query) => {
    const { status } = await ask({ query, more: { max_execution_time: '1' } })
    expect(status).toBeGreaterThanOrEqual(400)
    expect((await ask({ query: 'select 1' })).text).toBe('1\n')
  })

  it.each<[string, Asked]>([
    ['packed as nobody packs', { more: { decompress: '1' }, body: Buffer.alloc(100, 255) }],
    [
      'packed and cut off',
      { headers: { 'content-encoding': 'gzip' }, body: Buffer.from('1f8b08000000000000034bcd', 'hex') },
    ],
  ])('and so does a body that is %s', async (_, asked) => {
    expect((await ask(asked)).status).toBeGreaterThanOrEqual(400)
  })

  it('and the settings of a session are gone a minute after it', async () => {
    const more = { session_id: 'one', session_timeout: '3600' }
    expect((await ask({ query: 'set max_block_size = 1', more })).text).toContain('INVALID_SESSION_TIMEOUT')
    expect((await ask({ query: 'select 1', more: { ...more, session_timeout: '60' } })).status).toBe(200)
  })
})

describe('a page that the analyst visits', () => {
  const evil = { origin: 'https://evil.example' }
  it.each<[string, Asked]>([
    [
      'by a setting',
      { more: { http_response_headers: "{'Access-Control-Allow-Origin':'*','Content-Type':'text/html'}" } },
    ],
    [
      'by the words of the query',
      { query: "select 1 settings http_response_headers = {'Access-Control-Allow-Origin':'*'}" },
    ],
    ['by the setting for it', { more: { add_http_cors_header: '1' } }],
    ['by asking before', { headers: { 'access-control-request-method': 'POST' } }],
  ])('reads no answer, %s', async (_, { more = {}, query, headers = {} }) => {
    const asked = query === undefined ? { more: { query: 'select 1', ...more } } : { query, more }
    const answer = await ask({ ...asked, headers: { ...evil, ...headers } })
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    expect(answer.headers.get('content-type')).not.toContain('html')
  })
})
