/** Operations of a document of OpenAPI: what is sold of it, what is refused with its line, and where it can never lead. */
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { startUpstream } from '../../upstream.ts'
import { failureOf, opened } from './asking.ts'
import { read, shown } from './reading.ts'

const example = (name: string) =>
  readFileSync(new URL(`../../../services/sell/examples/${name}`, import.meta.url), 'utf8')
const token = { HARBOUR_TOKEN: 'a-token-of-the-harbour' }
const harbour = { './harbour.json': example('harbour.json') }

/** A document with one operation, and the file that sells it. */
const documentOf = (operation: object, more: object = {}, path = '/tide', method = 'get') =>
  JSON.stringify({
    openapi: '3.0.3',
    servers: [{ url: 'http://127.0.0.1:9' }],
    paths: {
      [path]: {
        [method]: {
          operationId: 'getTide',
          summary: 'A tide',
          responses: { 200: { description: 'ok', content: { 'application/json': {} } } },
          ...operation,
        },
      },
    },
    ...more,
  })
const fileOf = (price: string, more = 'server: http://127.0.0.1:9') =>
  `origin: tides\ntitle: Tides\nopenapi: ./spec.json\n${more}\nprices:\n  getTide: ${price}\n`
const faultsIn = (spec: string, file = fileOf('0.001')) =>
  read(file, {}, { './spec.json': spec }).faults.map(shown)
const named = (name: string, more: object = {}) => ({
  parameters: [{ name, in: 'query', schema: { type: 'string' }, example: 'a', ...more }],
})
const query = (schema: object, more: object = {}) => named('q', { schema, ...more })

/** The questions that an upstream heard, asked through a file. */
async function sold(spec: string, price = '0.001', more = '') {
  const heard: object[] = []
  const upstream = await startUpstream(async (request: IncomingMessage, response: ServerResponse) => {
    let body = ''
    for await (const part of request) body += part
    const { url, method, headers } = request
    heard.push({ url, method, unit: headers['x-unit'], accept: headers.accept, body })
    response.end('{"miles":1,"from":"a","to":"b"}')
  })
  const file = fileOf(price, `server: ${upstream.url}/v2${more}`)
  return { ...(await opened(file, {}, { files: { './spec.json': spec } })), heard }
}

describe('a document of OpenAPI', () => {
  it('becomes operations, whose words are its own', () => {
    const { faults, origin } = read(example('harbour.yaml'), token, harbour)
    expect(faults.map(shown)).toEqual([])
    const [berths, route] = origin?.operations ?? []
    expect(berths).toMatchObject({
      path: '/list-berths',
      id: 'harbourListBerths',
      title: 'The free berths of a port',
      about: 'Berths that are free on a day, with their depth.',
      price: '0.002',
      refusals: { nothing_found: { about: 'There is no such port' } },
      example: {
        request: { port: 'NLRTM', day: '2026-05-01' },
        response: { answer: [{ name: 'A1', depth: 3.5 }] },
      },
    })
    expect(berths?.request.parse({ port: 'NLRTM', day: '2026-05-01' })).toMatchObject({ X_Unit: 'm' })
    expect(berths?.request.safeParse({ port: 'rotterdam', day: '2026-05-01' }).success).toBe(false)
    expect(route).toMatchObject({ path: '/route', title: 'A route between two ports' })
    const wish = { from: 'NLRTM', to: 'DEHAM' }
    expect(route?.request.parse(wish)).toEqual(wish)
    expect(route?.request.safeParse({ ...wish, draught: 31 }).success).toBe(false)
    const answer = { ...wish, miles: 3, via: [{ ...wish, miles: 1 }] }
    const fetched_at = '2026-01-01T00:00:00.000Z'
    expect(route?.response.parse({ answer, fetched_at })).toEqual({ answer, fetched_at })
    expect(route?.response.safeParse({ answer: { ...wish, miles: 'far' }, fetched_at }).success).toBe(false)
  })

  it('has its parameters where it says', async () => {
    const parameters = [
      { name: 'port', in: 'path', required: true, schema: { type: 'string' }, example: 'x' },
      { name: 'day[]', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
      { name: 'all', in: 'query', explode: false, schema: { type: 'array', items: { type: 'string' } } },
      { name: 'near', in: 'query', schema: { type: 'number', minimum: 0, exclusiveMinimum: true } },
      { name: 'X-Unit', in: 'header', schema: { type: 'string' } },
      { name: 'Accept', in: 'header', schema: { type: 'string' } },
    ]
    const tide = await sold(
      documentOf({ parameters }, {}, '/ports/{port}/all.json'),
      '{ price: 1, path: /tide }',
    )
    await tide.ask({ port: 'a b', day: ['1', '2'], all: ['1', '2'], near: 2, X_Unit: 'm' })
    await tide.ask({ port: 'a' })
    const usual = { method: 'GET', accept: 'application/json', body: '' }
    expect(tide.heard).toEqual([
      { url: '/v2/ports/a%20b/all.json?day[]=1&day[]=2&all=1,2&near=2', unit: 'm', ...usual },
      { url: '/v2/ports/a/all.json', unit: undefined, ...usual },
    ])
    expect(await failureOf(tide.ask({ port: 'a', near: 0 }))).toMatch('invalid_request')
  })

  it('has its body as fields, or as one where it is no object', async () => {
    const body = (schema: object) => ({
      requestBody: { content: { 'application/json; charset=utf-8': { schema, example: { n: 1 } } } },
    })
    const object = {
      type: 'object',
      required: ['n'],
      properties: { n: { type: 'integer' }, note: { type: 'string' } },
    }
    const tide = await sold(documentOf(body(object), {}, '/t', 'post'), '{ price: 1, path: /tide }')
    await tide.ask({ n: 2 })
    expect(tide.heard).toMatchObject([{ method: 'POST', body: '{"n":2}' }])
    const list = { type: 'array', items: { type: 'integer' } }
    const many = await sold(
      documentOf(body(list), {}, '/t', 'post'),
      '{ price: 1, path: /tide, example: { question: { body: [1] } } }',
    )
    await many.ask({ body: [1, 2] })
    expect(many.heard).toMatchObject([{ body: '[1,2]' }])
  })

  it('leaves out what the file sends itself, and what it does not sell', async () => {
    const parameters = [
      { name: 'appid', in: 'query', required: true, schema: { type: 'string' } },
      { name: 'filter', in: 'query', schema: { oneOf: [{ type: 'string' }, { type: 'number' }] } },
    ]
    const tide = await sold(
      documentOf({ parameters }),
      '{ price: 1, path: /tide, without: [filter] }',
      '\nquery: { appid: of-the-file }',
    )
    await tide.ask({})
    expect(tide.heard).toMatchObject([{ url: '/v2/tide?appid=of-the-file' }])
    expect(await failureOf(tide.ask({ appid: 'x' }))).toMatch('There is no field')
  })
})

describe('what cannot be sold', () => {
  const line = (spec: object | string) => faultsIn(typeof spec === 'string' ? spec : documentOf(spec))

  it.each<[string, string, string]>([
    ['no document', '[]', 'OpenAPI 3.0 or 3.1'],
    ['another version', JSON.stringify({ swagger: '2.0' }), 'OpenAPI 3.0 or 3.1'],
    [
      'another operation',
      documentOf({ operationId: 'other' }),
      '6:3 prices.getTide: the document has no such operation; there are other',
    ],
    ['a method that changes things', documentOf({}, {}, '/tide', 'delete'), 'GET and POST are sold'],
    ['a choice', documentOf(query({ anyOf: [{ type: 'string' }, { type: 'number' }] })), 'anyOf is not read'],
    ['no type', documentOf(query({})), 'says no type'],
    [
      'an object in the query',
      documentOf(query({ type: 'object', properties: { a: { type: 'string' } } })),
      'an object in query',
    ],
    ['another style', documentOf(query({ type: 'string' }, { style: 'deepObject' })), 'its style deepObject'],
    ['a cookie', documentOf(query({ type: 'string' }, { in: 'cookie' })), 'a parameter in cookie'],
    [
      'any fields',
      documentOf(
        { requestBody: { content: { 'application/json': { schema: { type: 'object' } } } } },
        {},
        '/t',
        'post',
      ),
      'any fields may stand in it',
    ],
    [
      'a form',
      documentOf({ requestBody: { content: { 'multipart/form-data': {} } } }, {}, '/t', 'post'),
      'as application/json',
    ],
    [
      'no example',
      documentOf(query({ type: 'string' }, { required: true, example: undefined })),
      'shows no q',
    ],
    [
      'a pattern that keeps us busy',
      documentOf(query({ type: 'string', pattern: '^(a+)+$' })),
      'steps and more',
    ],
    [
      'two fields of one name',
      documentOf({ parameters: ['a-b', 'a.b'].map(name => named(name).parameters[0]) }),
      'would be the field a_b',
    ],
    ['no answer', documentOf({ responses: { 204: { description: 'done' } } }), 'should say what comes back'],
    ['a reference to another file', documentOf(query({ $ref: 'other.json#/a' })), 'out of this document'],
    ['a reference to nothing', documentOf(query({ $ref: '#/components/none' })), 'there is nothing at'],
    [
      'a reference to a part of every object',
      documentOf(query({ $ref: '#/constructor/prototype' })),
      'there is nothing at',
    ],
    [
      'allOf in two ways',
      documentOf(query({ allOf: [{ type: 'string' }, { type: 'number' }] })),
      'type in two ways',
    ],
  ])('has a line: %s', (_, spec, message) => {
    const faults = line(spec)
    expect(faults[0]).toMatch(/^(?:\.\/spec\.json:)?\d+:\d+ /)
    expect(faults.join('\n')).toContain(message)
  })

  it('is at its line of the document', () => {
    const spec = example('harbour.json').replace('"type": ["number", "null"]', '"not": {}, "type": "number"')
    const { faults } = read(example('harbour.yaml'), token, { './harbour.json': spec })
    const at = spec.split('\n').findIndex(text => text.includes('"draught": {')) + 1
    expect(faults.map(shown)).toEqual([
      expect.stringMatching(new RegExp(`^\\./harbour\\.json:${at}:\\d+ .*not is not read in a question`)),
    ])
  })

  it('is a price without a document, or a document that is not there', () => {
    const file = (line: string) => `origin: tides\ntitle: T\n${line}\nprices: { getTide: 0.1 }\n`
    expect(read(file("version: '1'")).faults.map(shown)).toContainEqual(
      expect.stringContaining('4:9 prices: it belongs to openapi'),
    )
    expect(read(file('openapi: ./none.json')).faults.map(shown)).toEqual([
      '3:10 openapi: there is no ./none.json',
    ])
    const odd = read(fileOf('{ price: 0.1, keep: soon }'), {}, { './spec.json': documentOf({}) })
    expect(odd.faults.map(shown)).toEqual([expect.stringMatching(/^6:32 .*a time from 1s/)])
  })
})

describe('a path', () => {
  const odd = [
    ...[
      '//evil.example',
      '/a//b',
      '/../admin',
      '/a/..',
      '/./a',
      '/%2e%2e/a',
      '/a%2Fb',
      '/a%5cb',
      '/a\\b',
      '\\evil',
    ],
    ...[
      '@evil.example',
      '.evil.example',
      ':80@evil',
      '/a?b=1',
      '/a#b',
      '/a\r\nhost: evil',
      '/a\tb',
      '/a b',
      '/${TIDES_TOKEN}',
    ],
    ...['/{none}', '/a%250d', '/a%0d%0aevil', '/a%', 'evil', '', '/{', '/é', '/a/%2E./b', '/%00'],
  ]
  it.each(odd)('of a document leads nowhere else: %j', path => {
    const faults = faultsIn(documentOf({}, {}, path))
    expect(faults.join('\n')).toMatch(/its path should begin|is no parameter/)
  })

  it.each(['//evil', 'a/b', '..', '%2e%2e', 'a\r\nx: y', '.', 'a?b', 'a#b', '%2fetc', 'a;b', 'a\\b'])(
    'has values that stay values: %j',
    async value => {
      const parameters = [
        { name: 'port', in: 'path', required: true, schema: { type: 'string' }, example: 'x' },
      ]
      const tide = await sold(documentOf({ parameters }, {}, '/p/{port}'), '{ price: 1, path: /tide }')
      expect(await failureOf(tide.ask({ port: value }))).toMatch('invalid_request')
      expect(tide.heard).toEqual([])
    },
  )

  it.each([
    ['http://127.0.0.1:9', 'no public address'],
    ['http://localhost', 'no public address'],
    ['http://169.254.169.254/latest', 'no public address'],
    ['https://{region}.tides.org', 'without {variables}'],
    ['https://user@tides.org', 'without {variables}'],
    ['https://tides.org/a/../b', 'without {variables}'],
    ['https://tides.org\\@evil.org', 'without {variables}'],
    ['https://${TIDES_TOKEN}.evil.org', 'without {variables}'],
    ['//tides.org', 'without {variables}'],
    ['/v1', 'without {variables}'],
  ])('begins with a host that the document names and anybody may ask: %s', (url, message) => {
    expect(faultsIn(documentOf({}, { servers: [{ url }] }), fileOf('0.1', "version: '1'")).join()).toContain(
      message,
    )
  })

  it('has one host for all operations of a document', () => {
    const servers = [{ url: 'https://tides.org/v1/' }]
    const file = fileOf('0.1', "version: '1'")
    expect(
      faultsIn(documentOf({ servers: [{ url: 'https://evil.org' }] }, { servers }), file).join(),
    ).toContain('it leads to another host than the document')
    expect(faultsIn(documentOf({ servers: [{ url: 'https://tides.org/v2' }] }, { servers }), file)).toEqual(
      [],
    )
  })
})

describe('a document without measure', () => {
  const wide = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, i) => [
        `s${i}`,
        { allOf: [`s${i + 1}`, `s${i + 1}`].map(name => ({ $ref: `#/components/schemas/${name}` })) },
      ]),
    )
  const body = (schema: object) => ({ requestBody: { content: { 'application/json': { schema } } } })
  const top = { $ref: '#/components/schemas/s0' }

  it.each<[string, object, string]>([
    [
      'doubles at each step',
      { ...wide(20), s20: { type: 'object', properties: { a: { type: 'string' } } } },
      'more than 4000 parts',
    ],
    [
      'is very wide',
      {
        s0: {
          allOf: Array.from({ length: 5_000 }, (_, i) => ({ properties: { [`p${i}`]: { type: 'string' } } })),
        },
      },
      'more than 4000 parts',
    ],
    ['refers to itself', { s0: { $ref: '#/components/schemas/s0' } }, 'lead on and on'],
    ['is made of itself', { s0: { allOf: [top] } }, 'contains itself'],
    ['contains itself', { s0: { type: 'object', properties: { s: top } } }, 'contains itself'],
  ])('has a line, as a question that %s', (_, schemas, message) => {
    const spec = documentOf(body(top), { components: { schemas } }, '/t', 'post')
    expect(faultsIn(spec).join('\n')).toContain(message)
  })

  it.each<[string, object]>([
    ['doubles at each step', wide(20)],
    [
      'chooses without end',
      { s0: { anyOf: Array.from({ length: 20 }, () => ({ type: 'array', items: { anyOf: [top, top] } })) } },
    ],
    ['contains itself', { s0: { type: 'object', properties: { s: top } } }],
  ])('is sold unchecked, as an answer that %s', (name, schemas) => {
    const responses = { 200: { description: 'ok', content: { 'application/json': { schema: top } } } }
    const { faults, origin } = read(
      fileOf('0.1'),
      {},
      { './spec.json': documentOf({ responses }, { components: { schemas } }) },
    )
    expect(faults.map(shown)).toEqual([])
    const answer = name === 'chooses without end' ? [[]] : { s: { s: {} } }
    expect(origin?.operations[0]?.response.safeParse({ answer, fetched_at: '' }).success).toBe(true)
  })

  it('has at most four megabytes, and is not nested too deep', () => {
    expect(faultsIn(`"${'x'.repeat(4 << 20)}"`)).toEqual([expect.stringContaining('more than 4194304 bytes')])
    expect(faultsIn('{"a":'.repeat(20_000)).join()).toContain('nested too deep')
    const yaml = `openapi: 3.1.0\npaths: {}\nx: ${'x'.repeat(1 << 20)}`
    expect(faultsIn(yaml)).toEqual([expect.stringContaining('as YAML it may have 1048576 bytes')])
  })
})
