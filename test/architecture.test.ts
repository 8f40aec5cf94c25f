import { globSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { functionsIn } from './functions.ts'
import { circles, edges, files, read, testPieces, unusedExports } from './imports.ts'

/**
 * The floors, from the ground up. A file stands on the floor of the longest folder that holds it, and imports from its own
 * floor or from one below.
 */
const floors: readonly (readonly string[])[] = [
  ['schemas'],
  ['pipelines/rails'],
  ['pipelines/domains'],
  ['pipelines/sources', 'pipelines/lookups', 'pipelines/samples'],
  ['pipelines/workers'],
  ['pipelines'],
  ['services/offer'],
  ['services/origins', 'services/till'],
  ['services/query'],
  [
    'services',
    'services/config',
    'services/sell',
    'services/canary',
    'services/pages',
    'services/roles',
    'services/commands',
    'services/sandbox',
    'services/client',
  ],
]
const floorOf = (file: string): number => {
  const folder = floors
    .flat()
    .filter(each => file.startsWith(`${each}/`))
    .sort((a, b) => b.length - a.length)[0]
  return floors.findIndex(floor => folder !== undefined && floor.includes(folder))
}

const isSandbox = (file: string) => file.startsWith('services/sandbox/')
const isClient = (file: string) => file.startsWith('services/client/')
/** It is a customer. */
const isCanary = (file: string) => file.startsWith('services/canary/')
const isOurs = (to: string) => /^(schemas|pipelines|services)\//.test(to)
const violations = (broken: (edge: (typeof edges)[number]) => boolean) =>
  edges.filter(broken).map(({ file, to }) => `${file} -> ${to}`)

describe('imports', () => {
  it('run one way', () => {
    expect(violations(({ file, to }) => isOurs(to) && floorOf(to) > floorOf(file))).toEqual([])
  })

  it('never come back to where they began', () => {
    expect(circles()).toEqual([])
  })

  it('join no siblings: sources, lookups, operations, and the rails among themselves', () => {
    const room = (file: string): string | undefined =>
      file.match(/^pipelines\/rails\/(?:log|store|blobs)(?=\/)/)?.[0] ??
      file.match(/^(pipelines\/(?:sources|lookups)|services\/origins\/[a-z]+)\/([a-z0-9-]+)(?=\/|\.ts)/)?.[0]
    const shared =
      /\/(source|lookup|runner|index|origin|geocoded|shapes|examples|web-results|desk|hook|quoted)(\.ts)?$/
    expect(
      violations(({ file, to }) => {
        const [from, target] = [room(file), room(to)]
        const kin = from && target && dirname(from) === dirname(target)
        return Boolean(kin) && from !== target && !shared.test(from ?? '') && !shared.test(target ?? '')
      }),
    ).toEqual([])
  })

  /** Packages for arithmetic and checks have no machinery, so any file may use them. */
  const everywhere = /^(zod|decimal\.js|canonicalize|node:(?!sqlite).+)$/
  const homes: Record<string, RegExp> = {
    kafkajs: /^pipelines\/rails\/log\/kafka/,
    '@clickhouse/client': /^pipelines\/rails\/store\//,
    'ffi-rs': /^pipelines\/rails\/store\//,
    chdb: /^pipelines\/rails\/store\//,
    aws4fetch: /^pipelines\/rails\/blobs\/s3\.ts$/,
    'node:sqlite': /^pipelines\/rails\/log\//,
    fastify: /^services\/query\/http\.ts$/,
    '@modelcontextprotocol/sdk': /^services\/query\/mcp\//,
    '@modelcontextprotocol/server': /^services\/query\/mcp\/modern\.ts$/,
    secp256k1: /^pipelines\/rails\/signing\/secp256k1\.ts$/,
    '@noble/curves': /^pipelines\/rails\/signing\/secp256k1\.ts$/,
    'hash-wasm': /^pipelines\/rails\/(?:signing\/keccak256|log\/kafka-hashes)\.ts$/,
    undici:
      /^(pipelines\/rails\/outside\/fetching\/exchange|services\/(till\/facilitator\/connections|offer\/package\/safe-fetch))\.ts$/,
    viem: /^pipelines\/domains\/(payments|chain)\/evm\//,
    '@solana/web3.js': /^pipelines\/domains\/(payments|chain)\/svm\//,
    'prom-client': /^pipelines\/rails\/metrics\.ts$/,
    'node-cron': /^pipelines\/rails\/clock\.ts$/,
    htmlparser2:
      /^pipelines\/(domains\/(product\/markup|document\/page\/composed)|rails\/formats\/formula-markup)\.ts$/,
    jsonrepair: /^pipelines\/domains\/product\/lenient-json\.ts$/,
    entities:
      /^pipelines\/(rails\/outside\/pages\/(?:visible|raised|feed)|lookups\/search\/results|domains\/company\/events\/document|domains\/document\/page\/composed)\.ts$/,
    tldts: /^pipelines\/domains\/product\/redirects\.ts$/,
    saxes: /^pipelines\/rails\/formats\/xml\.ts$/,
    yaml: /^services\/sell\/document\.ts$/,
    yauzl: /^pipelines\/(rails\/formats\/zip|sources\/sec\/archive)\.ts$/,
    tar: /^pipelines\/(lookups\/ip\/|rails\/outside\/browser\/binary\.ts$)/,
    linkedom: /^pipelines\/domains\/document\/page\//,
    '@mozilla/readability': /^pipelines\/domains\/document\/page\//,
    '@hyzyla/pdfium': /^pipelines\/domains\/document\/pdf\//,
    maxmind: /^pipelines\/lookups\/ip/,
    pino: /^services\/roles\/service\.ts$/,
  }
  const packageOf = (to: string) => /^(@[^/]+\/[^/]+|[^/]+)/.exec(to)?.[0] as string

  it('name each outside package in its one home', () => {
    expect(
      violations(({ file, to }) => {
        const isFile = isOurs(to) || to === 'package.json'
        return (
          !isFile &&
          !isSandbox(file) &&
          !isClient(file) &&
          !everywhere.test(to) &&
          !homes[packageOf(to)]?.test(file)
        )
      }),
    ).toEqual([])
  })

  it('leave the inside of kafkajs to one file', () => {
    expect([...files, ...testPieces].filter(file => read(file).includes('kafkajs/src'))).toEqual([
      'pipelines/rails/log/kafkajs-inside.ts',
    ])
  })

  it('leave the sandbox alone: nothing of the service knows it', () => {
    expect(violations(({ file, to }) => isSandbox(to) && !isSandbox(file))).toEqual([])
  })

  it('leave the client alone, and the client leaves the service alone: it is published without it', () => {
    expect(violations(({ file, to }) => isClient(file) && isOurs(to) && !isClient(to))).toEqual([])
    expect(
      violations(({ file, to }) => isClient(to) && ![isClient, isSandbox, isCanary].some(is => is(file))),
    ).toEqual([])
  })

  it('leave the domains to their origins: the door knows no one of them', () => {
    expect(
      violations(({ file, to }) => file.startsWith('services/query/') && to.startsWith('services/origins/')),
    ).toEqual([])
  })

  it('load a sample only where it is asked for: production has none', () => {
    const isSample = (file: string) => file.startsWith('pipelines/samples/')
    expect(violations(({ file, to, lazy }) => isSample(to) && !isSample(file) && !lazy)).toEqual([])
  })

  it('keep schemas free of everything but zod', () => {
    expect(
      violations(({ file, to }) => file.startsWith('schemas/') && !to.startsWith('schemas/') && to !== 'zod'),
    ).toEqual([])
  })
})

const naming = (what: RegExp) => files.filter(file => what.test(read(file)))

describe('one home', () => {
  it('for the environment', () => {
    const reading = naming(/process\.env|env[^\n]* from 'node:process'/).filter(file => !isClient(file))
    expect(reading).toEqual(['services/config/process-environment.ts'])
  })

  it('for the networks: their table names them, and the sandbox', () => {
    const named = naming(/['"`](base|solana)['"`]/).filter(file => !isSandbox(file) && !isClient(file))
    expect(named).toEqual(['schemas/tables/networks.ts'])
  })
})

describe('a file', () => {
  /** The names of packages are for those who use them. */
  const ofClient = /^services\/(client|offer\/package)\//

  it('of an operation has at most 175 lines', () => {
    const operations = naming(/= defineOperation\(/)
    expect(operations.length).toBeGreaterThan(30)
    expect(operations.filter(file => read(file).split('\n').length > 176)).toEqual([])
  })

  it('exports only what another file imports', () => {
    expect(unusedExports().filter(place => !ofClient.test(place))).toEqual([])
  })
})

const mostLines = 70

describe('a function', () => {
  // In a file that is no longer itself, none can be.
  const long = files
    .filter(file => read(file).split('\n').length > mostLines)
    .flatMap(file => functionsIn(read(file)).map(({ name, lines }) => ({ place: `${file}: ${name}`, lines })))
    .filter(({ lines }) => lines > mostLines)

  it('has at most 70 lines', () => {
    expect(long).toEqual([])
  })
})

describe('what takes the square of its text, without a bound', () => {
  it('is the order of marks on a letter: one file brings Unicode into a form', () => {
    expect(naming(/\.normalize\(/)).toEqual(['schemas/values/unicode.ts'])
  })

  it('is what V8 reads and writes: nothing is stored in its form', () => {
    expect(naming(/(?<!import \{ getHeapStatistics \} )from '(node:)?v8'/)).toEqual([])
  })
})

describe('a word', () => {
  const declared = /^export (?:abstract )?(?:interface|type|class) (\w+)/gm

  it('that names an exported type names one', () => {
    const named = files
      .filter(file => !isClient(file))
      .flatMap(file => [...read(file).matchAll(declared)].map(([, name]) => ({ name, file })))
    const places = Object.groupBy(named, ({ name }) => String(name))
    expect(Object.values(places).filter(each => each && each.length > 1)).toEqual([])
  })

  it('that names a folder is a noun', () => {
    /** These name a trade. */
    const trades = ['fetching', 'signing', 'tracing']
    const folders = new Set(files.flatMap(file => dirname(file).split('/')))
    expect([...folders].filter(name => name.endsWith('ing') && !trades.includes(name))).toEqual([])
  })

  it('to sell is what the till does', () => {
    const selling = naming(/\bfunction sell\b|\bconst sell =/)
    expect(selling).toEqual(['services/till/sale.ts'])
  })
})

describe('the tree', () => {
  it('has a room for every file', () => {
    expect(files.filter(file => floorOf(file) < 0)).toEqual([])
  })

  it('has few loose files: an index in pipelines, and what is started in services', () => {
    expect(globSync('{pipelines,services}/*.{ts,js}').sort()).toEqual([
      'pipelines/index.ts',
      'services/main.ts',
      'services/node-version.js',
    ])
    expect(globSync('pipelines/*')).toHaveLength(7)
  })

  it('holds at its top what it should', () => {
    const allowed =
      /^(package(-lock)?\.json|tsconfig\.json|services|pipelines|schemas|deploy|test|(README|CONTRIBUTING|CHANGELOG)\.md|LICENSE|biome\.json|vitest\.config\.ts|node_modules|data|\..*)$/
    expect(globSync('*').filter(name => !allowed.test(name))).toEqual([])
  })

  it('has no file without a noun', () => {
    const vague = /(^|[/-])(utils?|helpers?|common|types|manager|handler|processor)(\.|-|\/|$)/
    expect(files.filter(file => vague.test(file))).toEqual([])
  })
})
