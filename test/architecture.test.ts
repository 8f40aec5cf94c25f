import { globSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { functionsIn } from './functions.ts'
import { circles, edges, files, read } from './imports.ts'

/** Imports go down or stay on a tier. The first pattern that fits a file decides. A file without one has no room. */
const tiers: readonly [tier: number, what: string, files: RegExp][] = [
  [1, 'what is true', /^schemas\//],
  [2, 'rails', /^pipelines\/(log|store|blobs|chain|outside|public-fetch|web|signing|children)\//],
  [2, 'rails', /^pipelines\/((failures|running|metrics|clock|tracing|bounded)\.ts$|tracing\/)/],
  [3, 'movement', /^pipelines\/(duties|sources|lookups|outbox|samples)\//],
  [3, 'movement', /^pipelines\/(sec|market|onchain|pages|reading|product|attesting|watching)\//],
  [3, 'movement', /^pipelines\/[a-z-]+\.ts$/],
  [4, 'words of the sale', /^services\/(answer|batch|errors|main-text|operation|origin|pages|rate)\.ts$/],
  [5, 'what is sold, and the money', /^services\/(origins|till)\//],
  [6, 'the door', /^services\/query\//],
  [7, 'composition', /^services\/(roles\/)?[a-z-]+\.ts$/],
  [7, 'composition', /^services\/sandbox\//],
  [7, 'a caller: a package of its own, and the sandbox calls with it', /^services\/client\//],
]
const tierOf = (file: string): number | undefined => tiers.find(([, , pattern]) => pattern.test(file))?.[0]

const isSandbox = (file: string) => file.startsWith('services/sandbox/')
const isClient = (file: string) => file.startsWith('services/client/')
const isOurs = (to: string) => /^(schemas|pipelines|services)\//.test(to)
const violations = (broken: (edge: (typeof edges)[number]) => boolean) =>
  edges.filter(broken).map(({ file, to }) => `${file} -> ${to}`)

describe('imports', () => {
  it('run one way', () => {
    expect(
      violations(({ file, to }) => isOurs(to) && (tierOf(to) ?? Infinity) > (tierOf(file) ?? 0)),
    ).toEqual([])
  })

  it('never come back to where they began', () => {
    expect(circles()).toEqual([])
  })

  it('join no siblings: sources, lookups, operations, and the rails among themselves', () => {
    const room = (file: string): string | undefined =>
      file.match(/^pipelines\/(?:log|store|blobs|chain|public-fetch)(?=\/)/)?.[0] ??
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
    kafkajs: /^pipelines\/log\/kafka/,
    '@clickhouse/client': /^pipelines\/store\//,
    'ffi-rs': /^pipelines\/store\//,
    chdb: /^pipelines\/store\//,
    aws4fetch: /^pipelines\/blobs\/s3\.ts$/,
    'node:sqlite': /^pipelines\/log\//,
    fastify: /^services\/query\/http\.ts$/,
    '@modelcontextprotocol/sdk': /^services\/query\/mcp\//,
    secp256k1: /^pipelines\/signing\/secp256k1\.ts$/,
    '@noble/curves': /^pipelines\/signing\/secp256k1\.ts$/,
    'hash-wasm': /^pipelines\/signing\/keccak256\.ts$/,
    undici: /^services\/till\/facilitator\//,
    viem: /^pipelines\/(chain|onchain)\/evm\//,
    '@solana/web3.js': /^pipelines\/(chain|onchain)\/svm\//,
    'prom-client': /^pipelines\/metrics\.ts$/,
    'node-cron': /^pipelines\/clock\.ts$/,
    htmlparser2: /^pipelines\/product\/markup\.ts$/,
    jsonrepair: /^pipelines\/product\/lenient-json\.ts$/,
    entities: /^pipelines\/(web\/visible|lookups\/search\/results|sec\/events\/document)\.ts$/,
    tldts: /^pipelines\/product\/redirects\.ts$/,
    saxes: /^pipelines\/xml\.ts$/,
    yauzl: /^pipelines\/(zip|sources\/sec\/archive)\.ts$/,
    tar: /^pipelines\/(lookups\/ip\/|web\/binary\.ts$)/,
    linkedom: /^pipelines\/reading\/page\//,
    '@mozilla/readability': /^pipelines\/reading\/page\//,
    '@hyzyla/pdfium': /^pipelines\/reading\/pdf\//,
    maxmind: /^pipelines\/lookups\/ip/,
    pino: /^services\/service\.ts$/,
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

  it('leave the sandbox alone: nothing of the service knows it', () => {
    expect(violations(({ file, to }) => isSandbox(to) && !isSandbox(file))).toEqual([])
  })

  it('leave the client alone, and the client leaves the service alone: it is published without it', () => {
    expect(violations(({ file, to }) => isClient(file) && isOurs(to) && !isClient(to))).toEqual([])
    expect(violations(({ file, to }) => isClient(to) && !isClient(file) && !isSandbox(file))).toEqual([])
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
    expect(reading).toEqual(['services/process-environment.ts'])
  })

  it('for the networks: their table names them, and the sandbox', () => {
    const named = naming(/['"`](base|solana)['"`]/).filter(file => !isSandbox(file) && !isClient(file))
    expect(named).toEqual(['schemas/networks.ts'])
  })
})

/** The longest function of each kind of exception. A number here only ever falls, and goes with the function. */
const longer: Readonly<Record<string, number>> = {
  // A table: a line or two for each variable.
  'services/environment.ts: environmentOf': 232,
  'pipelines/attesting/attesting.ts: openAttesting': 85,
  'pipelines/chain/evm/finder.ts: openEvmFinder': 116,
  'pipelines/chain/evm/reader.ts: openEvmReader': 84,
  'pipelines/chain/svm/finder.ts: openSvmFinder': 76,
  'pipelines/lookups/runner.ts: startLookups': 87,
  'pipelines/onchain/svm/pricing.ts: openPricing': 75,
  'pipelines/pages/open.ts: openPages': 119,
  'pipelines/product/markup.ts: readMarkup': 81,
  'pipelines/rendering.ts: startRendering': 90,
  'pipelines/watching/checking.ts: startChecking': 92,
  'pipelines/web/gate.ts: openGate': 99,
  'pipelines/web/watch.ts: watch': 119,
  'services/query/mcp/call.ts: callSold': 83,
  'services/query/mcp/endpoint.ts: openMcp': 83,
  'services/query/paywall.ts: sell': 106,
  'services/roles/query.ts: openQuery': 86,
  'services/till/open.ts: openTill': 82,
  'services/till/sale.ts: seller': 141,
  'services/till/sale/owing.ts: owing': 133,
}
const mostLines = 70

describe('a function', () => {
  // In a file that is no longer itself, none can be.
  const long = files
    .filter(file => read(file).split('\n').length > mostLines)
    .flatMap(file => functionsIn(read(file)).map(({ name, lines }) => ({ place: `${file}: ${name}`, lines })))
    .filter(({ lines }) => lines > mostLines)

  it('has at most 70 lines, but for those that are still to be taken apart', () => {
    expect(long.filter(({ place, lines }) => lines > (longer[place] ?? 0))).toEqual([])
  })

  it('that is short enough leaves the list', () => {
    const places = long.map(({ place }) => place)
    expect(Object.keys(longer).filter(place => !places.includes(place))).toEqual([])
  })
})

describe('what takes the square of its text, without a bound', () => {
  it('is the order of marks on a letter: one file brings Unicode into a form', () => {
    expect(naming(/\.normalize\(/)).toEqual(['schemas/unicode.ts'])
  })

  it('is what V8 reads and writes: nothing is stored in its form', () => {
    expect(naming(/from '(node:)?v8'/)).toEqual([])
  })
})

describe('the tree', () => {
  it('has a room for every file', () => {
    expect(files.filter(file => tierOf(file) === undefined)).toEqual([])
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
