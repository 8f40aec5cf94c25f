import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { rates, upstreams } from '../../../pipelines/index.ts'
import { readS3Address } from '../../../pipelines/rails/blobs/s3-address.ts'
import { text } from '../../../pipelines/rails/environment/kinds.ts'
import { ConfigError, defineVariables } from '../../../pipelines/rails/environment/variables.ts'
import { logVariables } from '../../../pipelines/rails/log/variables.ts'
import { browserVariables } from '../../../pipelines/rails/outside/browser/variables.ts'
import { readOnlyVariables } from '../../../schemas/tables/chains.ts'
import {
  facilitatorVariables,
  networks,
  payToVariables,
  rpcVariables,
} from '../../../schemas/tables/networks.ts'
import { blobsUrlOf, checkPlaces, pagesUrlOf } from '../../../services/config/blobs-place.ts'
import { checkParts, readConfig, saleConfig, sold } from '../../../services/config/config.ts'
import { data } from '../../../services/origins/data/origin.ts'
import { origins } from '../../../services/origins/index.ts'
import { scratchFolder } from '../../scratch.ts'
import { originOf } from '../an-origin.ts'

const error = (env: Record<string, string>): string => {
  try {
    checkParts(readConfig(env))
    return 'accepted'
  } catch (failure) {
    return (failure as Error).message
  }
}

describe('the environment', () => {
  it('has a default for everything but the payee', () => {
    expect(readConfig({})).toMatchObject({
      PORT: 8402,
      HOST: '127.0.0.1',
      PUBLIC_URL: 'http://127.0.0.1:8402',
      RATE_LIMIT: 600,
      LOG_URL: 'sqlite:./data/log.db',
      STORE_URL: 'embedded:./data/clickhouse',
      STORE_PORT: 8123,
      STORE_TCP_PORT: 9000,
      ROLES: ['ingest', 'sink', 'meter', 'query', 'render', 'settle'],
      NETWORKS: ['base', 'solana'],
      SEC_RATE: 8,
      upstreams: { ECB_URL: 'https://www.ecb.europa.eu', FAA_URL: 'https://nasstatus.faa.gov' },
    })
  })

  it('takes a memory for sales, and leaves it to the process without one', () => {
    expect([readConfig({}).SALES_MB, readConfig({ SALES_MB: '64' }).SALES_MB]).toEqual([undefined, 64])
  })

  it('puts log and store below DATA_DIR', () => {
    const { LOG_URL, STORE_URL } = readConfig({ DATA_DIR: '/srv/farebox' })
    expect([LOG_URL, STORE_URL]).toEqual(['sqlite:/srv/farebox/log.db', 'embedded:/srv/farebox/clickhouse'])
  })

  it('knows the address of each web search, except the one of the operator', () => {
    const at = (env: Record<string, string>) => readConfig(env).upstreams.SEARCH_URL
    expect(at({ SEARCH_API: 'serper' })).toBe('https://google.serper.dev')
    expect(at({ SEARCH_API: 'brave' })).toBe('https://api.search.brave.com')
    expect(at({ SEARCH_API: 'searxng', SEARCH_URL: 'http://searx.internal:8080/' })).toBe(
      'http://searx.internal:8080',
    )
    expect(error({ SEARCH_API: 'searxng' })).toBe(
      'SEARCH_URL is unset; it should be the address of your searxng',
    )
    expect(error({ SEARCH_API: 'altavista' })).toBe(
      'SEARCH_API is "altavista"; it should be one of serper brave searxng',
    )
  })

  it('takes an empty variable for an unset one', () => {
    expect(readConfig({ PORT: '' }).PORT).toBe(8402)
  })

  it('drops the slash at the end of an address', () => {
    expect(readConfig({ ECB_URL: 'http://127.0.0.1:1/' }).upstreams.ECB_URL).toBe('http://127.0.0.1:1')
  })

  it('knows the address of MCP with its path and without', () => {
    expect(readConfig({ MCP_URL: 'https://mcp.example/mcp' }).MCP_URL).toBe('https://mcp.example')
    expect(readConfig({ PUBLIC_URL: 'https://farebox.example' }).MCP_URL).toBe('https://farebox.example')
  })

  it.each([
    ['PORT', 'eighty'],
    ['PORT', '70000'],
    ['PUBLIC_URL', 'farebox.example'],
    ['RATE_LIMIT', '0'],
    ['SALES_MB', '0'],
    ['FREE_CALLS_A_DAY', '-1'],
    ['DOOR_SHAPES', 'all'],
    ['MCP_URL', 'farebox.example/mcp'],
    ['LOG_URL', 'redis://x'],
    ['LOG_URL', 'kafka://broker'],
    ['STORE_URL', 'postgres://x'],
    ['STORE_CLUSTER', 'two words'],
    ['BLOBS_URL', './blobs'],
    ['BLOBS_URL', 's3://host'],
    ['BLOBS_URL', 's3:bucket'],
    ['PAGES_URL', 's3:bucket'],
    ['ORIGINS', 'data,nothing'],
    ['ROLES', 'ingest,cook'],
    ['ROLES', 'sink,sink'],
    ['LOG_LEVEL', 'loud'],
    ['NETWORKS', 'base,ethereum'],
    ['NETWORKS', 'base,base-sepolia'],
    ['PAY_TO_BASE', '0x12'],
    ['PAY_TO_SOLANA', '0OIl'],
    ['PAY_TO_POLYGON', '0OIl'],
    ['POLYGON_RPC_URL', 'ws://a'],
    ['FACILITATOR_URL', 'ftp://x'],
    ['BASE_RPC_URL', 'http://a,b'],
    ['SEC_RATE', '9'],
    ['ECB_URL', 'ecb'],
    ['SUMMARY_URL', 'model.example'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_TRACES_SAMPLER', 'sometimes'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
  ])('refuses %s=%s with one line: its name, its value and the right form', (name, value) => {
    const message = error({ [name]: value })
    expect(message).toMatch(new RegExp(`^${name} is "${value}"; it should be .+`))
    expect(message).not.toContain('\n')
  })

  it.each([
    ...origins.map(({ address }) => address),
    ...upstreams.map(({ variable }) => variable),
    ...[...rates.map(({ variable }) => variable), ...payToVariables, ...rpcVariables, ...readOnlyVariables],
    ...facilitatorVariables,
  ])('refuses a wrong %s, a variable that a list brings with it', name => {
    expect(error({ [name]: '?' })).toMatch(new RegExp(`^${name} is "\\?"; it should be .+`))
  })

  it.each([
    ['SUMMARY_URL', 'SUMMARY_MODEL', 'http://model.example'],
    ['SUMMARY_MODEL', 'SUMMARY_URL', 'small'],
    ['CDP_API_KEY_ID', 'CDP_API_KEY_SECRET', 'id'],
    ['CDP_API_KEY_SECRET', 'CDP_API_KEY_ID', 'secret'],
  ])('asks for the other variable if %s is set without %s', (name, other, value) => {
    expect(error({ [name]: value })).toMatch(new RegExp(`^${other} is unset; .*together$`))
  })

  it('takes a value without a form of its own unchanged', () => {
    const told = {
      FACILITATOR_TOKEN: 'a token',
      SUMMARY_TOKEN: 'another',
      SEARCH_TOKEN: 'a third',
      IP_EXTRAS: './extras',
      OTEL_SERVICE_NAME: 'shop',
    }
    expect(readConfig(told)).toMatchObject(told)
    expect(readConfig({}).OTEL_SERVICE_NAME).toBe('farebox')
  })

  it.each([
    ['2', 2],
    ['true', true],
    ['false', false],
    ['10.0.0.0/8', '10.0.0.0/8'],
  ])('reads TRUST_PROXY=%s as a number, a word or addresses', (text, meant) => {
    expect(readConfig({ TRUST_PROXY: text }).TRUST_PROXY).toBe(meant)
  })

  it('reads the headers for a collector, percent-encoded', () => {
    expect(readConfig({ OTEL_EXPORTER_OTLP_HEADERS: 'a=b%20c,d==' }).OTEL_EXPORTER_OTLP_HEADERS).toEqual({
      a: 'b c',
      d: '=',
    })
    expect(error({ OTEL_EXPORTER_OTLP_HEADERS: 'token' })).toMatch(/^OTEL_EXPORTER_OTLP_HEADERS is something/)
  })

  it('has an address for each origin, from the variable that the origin declares', () => {
    const built = [data, originOf([], { name: 'second', address: 'SECOND_URL' })]
    const addresses = (env: Record<string, string>) =>
      Object.fromEntries(readConfig(env, built).origins.map(({ name, url }) => [name, url]))
    expect(addresses({})).toEqual({ data: 'http://127.0.0.1:8402', second: 'http://127.0.0.1:8402' })
    expect(addresses({ PUBLIC_URL: 'https://a.example/' })).toEqual({
      data: 'https://a.example',
      second: 'https://a.example',
    })
    expect(addresses({ SECOND_URL: 'https://b.example' })).toEqual({
      data: 'http://127.0.0.1:8402',
      second: 'https://b.example',
    })
    expect(() => readConfig({ SECOND_URL: 'b.example' }, built)).toThrow(/^SECOND_URL is "b.example"; /)
  })

  it('has watch at the address of extract, unless it has its own', () => {
    const watchAt = (env: Record<string, string>) => readConfig(env).addressOf('watch')
    const unset = { PUBLIC_URL: 'https://a.example' }
    expect(watchAt(unset)).toBe('https://a.example')
    expect(watchAt({ ...unset, EXTRACT_URL: 'https://b.example' })).toBe('https://b.example')
    const own = { ...unset, EXTRACT_URL: 'https://b.example', WATCH_URL: 'https://c.example' }
    expect(watchAt(own)).toBe('https://c.example')
    expect(readConfig(own).addressOf('extract')).toBe('https://b.example')
  })

  it('gives a part the variables that it declares, and none that no document names', () => {
    const { read } = readConfig({ BROWSER: '/opt/chromium' })
    expect(read(browserVariables)).toEqual({ named: '/opt/chromium', withoutSandbox: false })
    const secretly = defineVariables(
      { UNDECLARED: text('anything').optional() },
      ({ UNDECLARED }) => UNDECLARED,
    )
    expect(() => read(secretly)).toThrow('UNDECLARED is read, and no part declares it')
  })

  it('sells every origin of the code, or those in ORIGINS', () => {
    const built = [data, originOf([], { name: 'second', address: 'SECOND_URL' })]
    const names = (env: Record<string, string>) => sold(readConfig(env, built)).map(({ name }) => name)
    expect(names({})).toEqual(['data', 'second'])
    expect(names({ ORIGINS: 'second' })).toEqual(['second'])
  })

  it('reads the nodes of every network, and a public node for the default network', () => {
    expect(readConfig({})).toMatchObject({
      BASE_RPC_URL: ['https://mainnet.base.org'],
      SOLANA_RPC_URL: ['https://api.mainnet-beta.solana.com'],
    })
    expect(readConfig({ NETWORKS: 'polygon-amoy', BASE_RPC_URL: 'http://a,http://b' })).toMatchObject({
      BASE_RPC_URL: ['http://a', 'http://b'],
      POLYGON_RPC_URL: [networks['polygon-amoy'].publicNode.url],
    })
  })

  it('reports every bad value at once', () => {
    expect(error({ PORT: 'x', SEC_RATE: '-1' }).split('\n')).toHaveLength(2)
  })

  it('does not print values that may be secret', () => {
    expect(error({ STORE_URL: 'pg://user:hunter2@host' })).not.toContain('hunter2')
    expect(error({ BLOBS_URL: 's3://key:hunter2/hunter2@host/bucket' })).not.toContain('hunter2')
    for (const name of ['SIGNER_KEY', 'WEIGH_KEY', 'ATTEST_KEY', 'ATTEST_LOG_KEY'])
      expect(error({ [name]: '0xhunter2' })).toMatch(new RegExp(`^${name} is something else; `))
  })

  it('refuses some of the roles on an embedded store or log, because one process owns it', () => {
    expect(error({ ROLES: 'query' })).toMatch(/^ROLES is "query"; .*STORE_URL/)
    expect(error({ ROLES: 'query', STORE_URL: 'http://u:p@h:8123/farebox' })).toMatch(
      /^ROLES is "query"; .*LOG_URL/,
    )
    expect(error({ ROLES: 'query', STORE_URL: 'http://u:p@h:8123/farebox', LOG_URL: 'kafka://b:9092' })).toBe(
      'accepted',
    )
  })

  it('shows Kafka the wishes of the address, and refuses a misfit with one line', () => {
    const place = (env: Record<string, string>) => readConfig(env).read(logVariables)
    const refused = (env: Record<string, string>) => {
      try {
        return JSON.stringify(place(env))
      } catch (problem) {
        expect(problem).toBeInstanceOf(ConfigError)
        expect((problem as Error).message).not.toMatch(/\n|hunter2/)
        return (problem as Error).message
      }
    }
    const plain = {
      LOG_URL: 'kafka+tls://a:1,b:2?sasl=plain',
      LOG_USERNAME: 'query',
      LOG_PASSWORD: 'hunter2',
    }
    expect(place(plain)).toMatchObject({
      url: plain.LOG_URL,
      credentials: { username: 'query', password: 'hunter2' },
    })
    expect(refused({ ...plain, LOG_PASSWORD: '' })).toMatch(/^LOG_PASSWORD is unset/)
    expect(refused({ ...plain, LOG_USERNAME: '' })).toMatch(/^LOG_USERNAME is unset/)
    expect(refused({ ...plain, LOG_URL: 'kafka://a:1' })).toMatch(/^LOG_USERNAME is set; LOG_URL should/)
    expect(refused({ ...plain, LOG_TOKEN_SCOPE: 'x' })).toMatch(/^LOG_TOKEN_SCOPE is set; LOG_URL should/)
    expect(refused({ ...plain, LOG_URL: 'kafka+tls://a:1?sasl=oauthbearer' })).toMatch(
      /^LOG_TOKEN_URL is unset/,
    )
    for (const LOG_URL of [
      'kafka+ssl://broker:9092',
      'kafka+tls://name:hunter2@broker:9092',
      'kafka+tls://broker:9092?sasl=gssapi',
      'kafka+tls://broker:9092?sasl=plain&logicalCluster=lkc-1',
      'kafka+tls://broker:9092?sasl=oauthbearer&auth=x',
    ])
      expect(refused({ LOG_URL })).toMatch(/^LOG_URL is "kafka\+.*; it should be sqlite:/)
    const file = join(scratchFolder(), 'a.pem')
    expect(refused({ LOG_URL: 'kafka://a:1', LOG_CA: file })).toMatch(/^LOG_CA is set; .*kafka\+tls/)
    const tls = { LOG_URL: 'kafka+tls://a:1' }
    expect(refused({ ...tls, LOG_CERT: file })).toMatch(/^LOG_KEY is unset/)
    expect(refused({ ...tls, LOG_CA: file })).toBe(
      `LOG_CA is ${file}; it should be a file that can be read: ENOENT`,
    )
    writeFileSync(file, 'hunter2')
    expect(refused({ ...tls, LOG_CA: file })).toMatch(/^LOG_CA is .*; the file should hold certificates/)
    expect(refused({ ...tls, LOG_KEY: file, LOG_CERT: file })).toMatch(
      /^LOG_CERT is .*; the file should hold/,
    )
  })

  it('asks for the payee and the facilitator before it sells', () => {
    const sale = (env: Record<string, string>) => () => saleConfig(readConfig(env))
    expect(sale({})).toThrow(/^PAY_TO_BASE is unset/)
    const base = { PAY_TO_BASE: `0x${'1'.repeat(40)}` }
    expect(sale(base)).toThrow(/^PAY_TO_SOLANA is unset/)
    expect(sale({ ...base, NETWORKS: 'base,polygon' })).toThrow(/^PAY_TO_POLYGON is unset/)
    expect(sale({ ...base, NETWORKS: 'base' })).toThrow(/^FACILITATOR_URL is unset/)
    expect(sale({ ...base, NETWORKS: 'base', FACILITATOR_URL: 'http://f' })()).toMatchObject({
      facilitators: [{ url: 'http://f', places: { base: 0 } }],
      payTo: [{ name: 'base', address: base.PAY_TO_BASE }],
    })
  })

  it('keeps large answers below DATA_DIR, in a folder, or in a bucket with its key', () => {
    const sale = {
      NETWORKS: 'base',
      PAY_TO_BASE: `0x${'1'.repeat(40)}`,
      FACILITATOR_URL: 'http://f',
    }
    const blobsUrl = (env: Record<string, string>) => blobsUrlOf(readConfig({ ...sale, ...env }))
    expect(blobsUrl({ DATA_DIR: '/srv' })).toBe('file:/srv/blobs')
    expect(blobsUrl({ BLOBS_URL: 'file:/blobs' })).toBe('file:/blobs')
    expect(blobsUrl({ BLOBS_URL: 's3://k:s@h/bucket' })).toBe('s3://k:s@h/bucket')
    expect(() => blobsUrl({ LOG_URL: 'kafka://b:9092' })).toThrow(/^BLOBS_URL is unset; .*LOG_URL is kafka:/)
    expect(blobsUrl({ LOG_URL: 'kafka://b:9092', BLOBS_URL: 'file:/shared' })).toBe('file:/shared')

    const bucket = { BLOBS_URL: 's3://h:9000/bucket/p?tls=false' }
    expect(() => blobsUrl(bucket)).toThrow(/^AWS_ACCESS_KEY_ID is unset/)
    expect(() => blobsUrl({ ...bucket, AWS_ACCESS_KEY_ID: 'k' })).toThrow(/^AWS_SECRET_ACCESS_KEY is unset/)
    const keyed = {
      ...bucket,
      AWS_ACCESS_KEY_ID: 'k',
      AWS_SECRET_ACCESS_KEY: 'a/b+c@d',
      AWS_REGION: 'eu-north-1',
    }
    expect(readS3Address(blobsUrl(keyed))).toEqual({
      origin: 'http://h:9000',
      bucket: 'bucket',
      prefix: 'p/',
      key: 'k',
      secret: 'a/b+c@d',
      region: 'eu-north-1',
    })
    // The address wins over the variables.
    const address = 's3://k:s@h/bucket?region=us-west-2'
    expect(blobsUrl({ ...keyed, BLOBS_URL: address })).toBe(address)
  })

  it('keeps rendered pages below the answers, or in a place of their own, with which render needs no other', () => {
    const of = (env: Record<string, string>) => readConfig({ ROLES: 'render', STORE_URL: 'http://h', ...env })
    const kafka = { LOG_URL: 'kafka://b:9092' }
    const key = { AWS_ACCESS_KEY_ID: 'k', AWS_SECRET_ACCESS_KEY: 's' }
    expect(pagesUrlOf(readConfig({ DATA_DIR: '/srv' }))).toBe('file:/srv/blobs/pages')
    expect(pagesUrlOf(of({ ...kafka, BLOBS_URL: 'file:/shared' }))).toBe('file:/shared/pages')
    expect(pagesUrlOf(of({ ...kafka, ...key, BLOBS_URL: 's3://h/answers/p?region=eu' }))).toBe(
      's3://k:s@h/answers/p/pages?region=eu',
    )
    expect(readS3Address(pagesUrlOf(of({ ...kafka, BLOBS_URL: 's3://k:s@h/answers/' })))).toMatchObject({
      ...{ bucket: 'answers', prefix: 'pages/' },
    })
    const own = { ...kafka, ...key, PAGES_URL: 's3://h/pages' }
    expect(pagesUrlOf(of(own))).toBe('s3://k:s@h/pages')
    expect(() => checkPlaces(of(own))).not.toThrow()
    expect(() => checkPlaces(of(kafka))).toThrow(/^PAGES_URL is unset; /)
    expect(() => checkPlaces(of({ ...kafka, PAGES_URL: 's3://h/pages' }))).toThrow(
      /^AWS_ACCESS_KEY_ID is unset; .*PAGES_URL/,
    )
    // A seller needs the other place, too.
    expect(() => checkPlaces(of({ ...own, ROLES: 'query' }))).toThrow(/^BLOBS_URL is unset; /)
  })
})
