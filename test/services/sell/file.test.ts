/** A file that sells: what it may say, and the line and column of each fault. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ConfigError } from '../../../pipelines/rails/environment/variables.ts'
import { readConfig, sold } from '../../../services/config/config.ts'
import { SellDocument } from '../../../services/sell/document.ts'
import { schemaText } from '../../../services/sell/schema.ts'
import { faultsOf, fileOf, read, viewOf } from './reading.ts'
import { scratchFile } from './scratch-file.ts'

const example = (name: string) =>
  readFileSync(new URL(`../../../services/sell/examples/${name}`, import.meta.url), 'utf8')

describe('a file', () => {
  it('becomes an origin with its operations', () => {
    const { faults, origin } = read(example('tides.yaml'), { TIDES_TOKEN: 'a-token-of-the-tides' })
    expect(faults).toEqual([])
    expect(origin).toMatchObject({
      name: 'tides',
      title: 'Tide tables',
      address: 'TIDES_URL',
      version: '1.0.0',
    })
    const [tide] = origin?.operations ?? []
    expect(tide).toMatchObject({ id: 'tidesTide', path: '/tide', price: '0.003', costs: 'looked up' })
    expect(tide?.refusals).toEqual({ unknown_station: { status: 422, about: 'Unknown station' } })
    expect(tide?.request.parse({ station: '9414290' })).toEqual({ station: '9414290', unit: 'metric' })
    expect(tide?.response.parse(tide.example.response)).toEqual(tide?.example.response)
  })

  it.each(['chart.yaml', 'rates.yaml'])('has an example that is sound: %s', name => {
    const { faults } = read(example(name), { CHARTS_KEY: 'a-key-of-the-charts' })
    expect(faults).toEqual([])
  })

  it.each([
    [viewOf({ view: 'select {other:String}' }), '8:19', '{other:String} is no field'],
    [viewOf({ view: 'select {station:Identifier}' }), '8:19', 'would let a payer name a table'],
    [viewOf({ view: 'select * from { station : identifier }' }), '8:19', 'would let a payer name a table'],
    [viewOf({ view: 'select 1' }), '7:17', 'stands nowhere in the query'],
    [viewOf({ from: 'fresh: { table: nowhere, within: 1d }' }), '8:70', 'no feed fills nowhere'],
    [
      viewOf({ from: 'fresh: { table: fx_daily, within: 1h }', more: 'keep: 2h' }),
      '10:11',
      'for longer than from.fresh promises',
    ],
    [viewOf({ from: 'gives: text' }), '8:54', 'There is no field "gives"'],
    [viewOf({ more: 'refuse: { 404: gone }' }), '10:15', 'a view has one refusal'],
    [viewOf({ question: '{ station: { type: object } }' }), '7:26', 'no parameter of a query'],
    [fileOf({ more: 'refuse: { none: gone }' }), '10:15', 'a word of views'],
    [
      fileOf({ question: '{ station: { type: string, optional: true } }' }),
      '8:19',
      'should stand alone, and not in the path',
    ],
    [
      fileOf({ question: '{ station: { type: string, default: a, optional: true } }' }),
      '7:64',
      'is never absent',
    ],
    [viewOf({ question: '{ station: { type: string, optional: true } }' }), '7:26', 'give it a default'],
    [fileOf({ more: 'batch: 101' }), '10:12', 'a number from 2 to 100'],
    ['origin: [', '1:10', 'Flow sequence'],
    [fileOf().replace('price: 0.003', 'price: free'), '6:12', 'US dollars above 0'],
    [fileOf().replace('price: 0.003', 'price: 0.0000001'), '6:12', 'US dollars above 0'],
    [fileOf().replace('title: The tide', 'titel: The tide'), '5:5', 'There is no field "titel"'],
    [fileOf().replace('/tide:', '/Tide:'), '4:3', 'a path such as /tide'],
    [fileOf().replace('/tide:', '/fx:'), '4:3', 'at this path already'],
    [fileOf().replace('/tide:', '/docs/tide:'), '4:3', 'at this path already'],
    [fileOf().replace('/tide:', '/get_service_info:'), '4:3', 'its tool over MCP'],
    [fileOf().replace('/tide:', '/table:'), '4:3', 'its name in receipts would be tidesTable'],
    [fileOf().replace('origin: tides', 'origin: data'), '1:9', 'data is taken'],
    [fileOf().replace('origin: tides', 'origin: Tides'), '1:9', 'small letters'],
    [fileOf({ question: '{ station: { type: text } }' }), '7:34', 'one of string'],
    [fileOf({ question: '{ station: { type: string, minimum: 1 } }' }), '7:51', 'says nothing about string'],
    [fileOf({ question: "{ station: { type: string, pattern: '(a+)+$' } }" }), '7:51', 'steps and more'],
    [fileOf({ question: "{ station: { type: string, pattern: '(' } }" }), '7:51', 'no regular expression'],
    [
      fileOf({
        question: "{ station: { type: array, items: { type: string, pattern: '^a*a*b$' } } }",
        from: "body: '{station}'",
        example: '{ question: { station: [b] } }',
      }).replace('{station}', ''),
      '7:48',
      '100 texts of 1000 characters',
    ],
    [fileOf({ question: '{ station: { type: string, default: 1 } }' }), '7:51', 'does not fit the field'],
    [fileOf({ question: '{ station: { type: string }, payment: { type: string } }' }), '7:44', 'is taken'],
    [
      fileOf({ question: '{ station: { type: string }, constructor: { type: string } }' }),
      '7:44',
      'is taken',
    ],
    [fileOf({ question: '{ station: { type: string }, more: { type: string } }' }), '8:11', 'stands nowhere'],
    [fileOf({ http: 'http://127.0.0.1/{other}/{station}' }), '8:19', '{other} is no field'],
    [fileOf({ http: 'http://{station}.example/a' }), '8:19', 'its host'],
    [fileOf({ http: 'http://a.example{station}' }), '8:19', 'its host'],
    [fileOf({ http: 'http://{station}@a.example/' }), '8:19', 'its host'],
    [fileOf({ http: 'http://${TIDES_HOST}/{station}' }), '8:19', 'its host'],
    [fileOf({ http: 'ftp://a.example/{station}' }), '8:19', 'an address such as'],
    [fileOf({ http: 'http://a.example/../{station}' }), '8:19', 'written as it is sent'],
    [fileOf({ from: 'headers: { host: b.example }' }), '8:65', 'belongs to the connection'],
    [fileOf({ from: 'method: DELETE' }), '8:62', 'one of GET, POST'],
    [fileOf({ from: 'within: 60s' }), '8:62', 'from 50ms to 20s'],
    ['', '1:1', 'the file should hold origin, title and operations'],
    ['- a list', '1:1', 'the file should hold origin, title and operations'],
    [fileOf({ from: "headers: { a: '${TIDES_TOKEN}' }" }), '8:68', 'is unset'],
    [fileOf({ from: "headers: { a: '${WEIGH_KEY}' }" }), '8:68', 'is not for this file'],
    [fileOf({ from: "headers: { a: '${TIDES_OURS}' }" }), '8:68', 'is not for this file'],
    [fileOf({ more: 'refuse: { 500: gone }' }), '10:15', 'from 400 to 499'],
    [fileOf({ more: 'refuse: { 404: not_found }' }), '10:20', 'is a code of every call'],
    [fileOf({ example: '{ question: { station: 1 } }' }), '9:37', 'expected string'],
    [fileOf({ more: 'answer: { type: object, if: {} }' }), '10:13', 'cannot be read as JSON Schema'],
    [
      fileOf({ more: 'answer: { type: object, required: [a] }' }),
      '10:13',
      'none of the properties beside it',
    ],
    [
      fileOf({ more: "answer: { type: object, properties: { a: { type: string, pattern: '^a+$' } } }" }),
      '10:13',
      'pattern is not read in answers',
    ],
    [fileOf({ from: "headers: { a: 'of {station}' }" }), '8:68', 'is any text, and stands inside another'],
    ...['[0-9]{7}', '^[0-9]{7}', '^[0-9]+$|x', '^a|[0-9]$', '^a\\$'].map(
      (pattern): [string, string, string] => [
        fileOf({
          http: 'http://127.0.0.1:9/Tides({station})',
          question: `{ station: { type: string, maxLength: 9, pattern: '${pattern}' } }`,
        }),
        '8:19',
        'stands inside another',
      ],
    ),
    [fileOf({ from: 'body: { query: \'{ tide(at: "{station}") }\' }' }), '8:69', 'stands inside another'],
    [fileOf({ from: 'query: { filter: "at eq \'{station}\'" }' }), '8:71', 'stands inside another'],
    [fileOf({ http: 'http://127.0.0.1:9/Tides({station})' }), '8:19', 'stands inside another'],
    [
      fileOf({
        question: `{ station: { type: string, enum: [${Array.from({ length: 400 }, (_, i) => `s${i}`)}] } }`,
        example: '{ question: { station: s1 } }',
      }),
      '7:15',
      'bytes of a quote',
    ],
    [fileOf().replace('The tide at a station', '"The\\x07 tide"'), '5:12', 'control characters'],
    [fileOf({ more: 'again: &a 1' }), '10:15', 'an anchor is not read'],
    [fileOf({ more: '__proto__: 1' }), '10:5', 'no field __proto__'],
    [fileOf({ more: 'price: 1' }), '10:5', 'Map keys must be unique'],
    [fileOf({ from: 'headers: { X-Key: a, x-key: b }' }), '8:75', 'stands twice'],
  ])('tells each fault with its place: %#', (text, place, message) => {
    const faults = faultsOf(text)
    const found = faults.find(fault => fault.includes(message)) ?? faults.join('\n')
    expect(found).toContain(message)
    expect(found.split(' ')[0]).toBe(place)
  })

  it('may let a value stand inside a text where it says which letters it has', () => {
    const question =
      "{ station: { type: string, pattern: '^[0-9]{7}$' }, day: { type: string, format: date }, n: { type: integer } }"
    const example = "{ question: { station: '9414290', day: '2026-01-01', n: 1 } }"
    const from = "headers: { a: 'of {station}' }, body: { query: 'on {day}: {n}' }"
    expect(
      faultsOf(fileOf({ question, example, from, http: 'http://127.0.0.1:9/Tides({station})' })),
    ).toEqual([])
  })

  it('is not read where it is nested too deep', () => {
    expect(faultsOf(`${'- '.repeat(30_000)}1`)[0]).toMatch(/^1:\d+ the file is nested too deep/)
    expect(faultsOf(' '.repeat(2 ** 20 + 1))[0]).toMatch(/^1:1 the file has more than 1048576 bytes/)
  })

  it('of a megabyte of keys is read within the time of a test, and tells a bounded number of faults', () => {
    // Each key compared with all before it would take minutes.
    const keys = Array.from({ length: 100_000 }, (_, i) => `a${i}:`).join('\n')
    expect(new SellDocument(keys).faults).toEqual([])
    expect(new SellDocument('- *a\n'.repeat(1_000)).faults).toHaveLength(200)
  })

  it('tells all faults at once, in their order', () => {
    const text = fileOf({ from: 'within: 1h', more: 'keep: 9' }).replace('price: 0.003', 'price: -1')
    expect(faultsOf(text).map(line => line.split(':')[0])).toEqual(['6', '8', '10'])
  })

  it('tells what is wrong with the rest beside a name that stands twice, and a word that nothing has', () => {
    const text = `${fileOf({ from: "headers: { a: '${OTHER_KEY}' }", more: 'keep: 10s\n    keep: 9\n    kept: 1' })}
  /high:
    title: High water
    price: 0.003
    from: { http: 'http://127.0.0.1:9/{day}' }
    example: { question: {} }
tilte: Tides
`
    const told = [
      '11:5 Map keys',
      '11:11 operations./tide.keep: a time',
      '17:19 operations./high.from.http: {day}',
    ]
    const faults = faultsOf(text.replace('title: Tide tables', 'title: 5'))
    for (const each of ['2:8 title: ', ...told, '12:5 operations./tide.kept', '19:1 tilte: '])
      expect(faults).toContainEqual(expect.stringContaining(each))
    expect(faults.map(fault => Number.parseInt(fault, 10))).toEqual([2, 8, 11, 11, 12, 17, 19])
  })

  it.each(['aws', 'github', 'node'])('named %s gets no variable that may be a key of the machine', name => {
    const variable = `${name.toUpperCase()}_TOKEN`
    const text = fileOf({ from: `headers: { a: '\${${variable}}' }` }).replace(
      'origin: tides',
      `origin: ${name}`,
    )
    const [fault, ...more] = faultsOf(text, { [variable]: 'a-key-of-the-machine' })
    expect(fault).toMatch(/^8:68 operations.\/tide.from.headers.a: .*may be a key of this machine/)
    expect(more).toEqual([])
  })

  it('has a header that stands twice in one place alone, whatever its letters', () => {
    expect(faultsOf(fileOf({ from: 'headers: { X-Key: a, Y-Key: a }' }))).toEqual([])
  })
})

it('is not wrong to an editor of YAML where a name is a status, which is a number to it', () => {
  expect(schemaText()).toContain('"propertyNames"')
  expect(schemaText()).not.toMatch(/"propertyNames": \{\s*"type"/)
})

describe('SELL', () => {
  it('sells the files beside the built-in origins, each at its own address', () => {
    const file = scratchFile('tides.yaml', fileOf())
    const config = readConfig({ SELL: file, TIDES_URL: 'https://tides.example' })
    const tides = sold(config).find(({ name }) => name === 'tides')
    expect(tides?.url).toBe('https://tides.example')
    expect(sold(readConfig({ SELL: file, ORIGINS: 'tides' })).map(({ name }) => name)).toEqual(['tides'])
  })

  it('gives a process that asks no upstream no secret, and wants none of it', () => {
    const headers = "headers: { authorization: '${TIDES_TOKEN}' }"
    const text = fileOf({ from: headers })
    const whole = `${text}  /day:
    title: A day
    price: 0.001
    from: { module: ./nowhere.ts, variables: [TIDES_KEY] }
    example: { question: {} }
`
    const file = scratchFile('tides.yaml', whole)
    const cluster = { LOG_URL: 'kafka://k:9092', STORE_URL: 'http://s:8123', SELL: file }
    const { origins } = readConfig({ ...cluster, ROLES: 'settle' })
    const tides = origins.find(({ name }) => name === 'tides')
    expect(tides?.operations.map(({ path, price }) => [path, price])).toEqual([
      ['/tide', '0.003'],
      ['/day', '0.001'],
    ])
    expect(() => readConfig({ ...cluster, ROLES: 'query' })).toThrow(/TIDES_TOKEN\} is unset[\s\S]*nowhere/)
    expect(() => readConfig({ SELL: file })).toThrow('TIDES_TOKEN} is unset')
  })

  it('stops the start with the line of each fault', () => {
    const file = scratchFile('tides.yaml', fileOf().replace('0.003', 'much'))
    expect(() => readConfig({ SELL: file })).toThrow(ConfigError)
    expect(() => readConfig({ SELL: file })).toThrow(
      `${file}:6:12 operations./tide.price: US dollars above 0`,
    )
    const gone = join(file, '..', 'gone.yaml')
    expect(() => readConfig({ SELL: `${gone}, ${file}` })).toThrow(
      `SELL names a file that cannot be read: ${gone} is not there\n${file}:6:12`,
    )
    expect(() => readConfig({ SELL: `${gone}.ts` })).toThrow(`${gone}.ts is not there`)
    expect(() => readConfig({ SELL: dirname(file) })).toThrow(`${dirname(file)} is no file`)
  })

  it('names the line that names a file which is not there', () => {
    const described = `origin: tides\ntitle: Tides\nopenapi: ./spec.json\nprices: { tide: 0.003 }\n`
    const module = fileOf()
      .replace(/\{ http: .* \}/, '{ module: ./tide.ts }')
      .replace('{ station: { type: string } }', '{}')
    for (const [text, place, name] of [
      [described, '3:10 openapi:', 'spec.json'],
      [module, '8:21 operations./tide.from.module:', 'tide.ts'],
    ] as const) {
      const file = scratchFile('tides.yaml', text)
      expect(() => readConfig({ SELL: file })).toThrow(
        `${file}:${place} ${join(dirname(file), name)} is not there`,
      )
    }
  })

  it('lets no two files take one name', () => {
    const [one, other] = [scratchFile('a.yaml', fileOf()), scratchFile('b.yaml', fileOf())]
    expect(() => readConfig({ SELL: `${one},${other}` })).toThrow(`${other}:1:9 origin: tides is taken`)
  })
})
