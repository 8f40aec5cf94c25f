import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { DCLinter } from 'dclint'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readConfig, saleConfig } from '../../services/config/config.ts'
import { environmentOf } from '../../services/config/environment.ts'
import { origins } from '../../services/origins/index.ts'
import { composed, ofNetworks, operatorValues, type Service } from './compose.ts'
import { deployed } from './queries.ts'

const folder = fileURLToPath(new URL('../../deploy/', import.meta.url))
const file = `${folder}compose.yaml`
/** Names the images that are not pinned by their digest yet. */
const readme = deployed('README.md').match(/^.*without a digest.*$/m)?.[0] ?? ''

const variables = Object.keys(environmentOf(origins).shape)

const { services, volumes, required } = composed({ ...operatorValues, ...ofNetworks })
/** The containers of the roles. */
const ours = Object.entries(services).filter(([, { build, environment }]) => build && environment?.ROLES)

/** The image sets some of these. Only the embedded store reads the others. */
const ofTheImage = Object.fromEntries(
  [...(/^ENV (.+)$/m.exec(deployed('Dockerfile'))?.[1] ?? '').matchAll(/(\w+)=(\S+)/g)].map(([, k, v]) => [
    k,
    v,
  ]),
) as Record<string, string>
const embeddedOnly = ['STORE_PORT', 'STORE_TCP_PORT']

describe('the compose file', () => {
  it('fits the schema of compose files', () => {
    const linter = new DCLinter({ rules: {}, quiet: true, debug: false, exclude: [] })
    const [result] = linter.lintFiles([file], false)
    const errors = result?.messages.filter((message: { type: string }) => message.type === 'error')
    expect(errors).toEqual([])
  })

  it('demands the values that only an operator can know, and no others', () => {
    expect([...required].toSorted()).toEqual(Object.keys(operatorValues).toSorted())
  })

  it.each(ours)('%s starts from an environment that the service accepts', (_name, { environment }) => {
    const config = readConfig({ ...ofTheImage, ...environment })
    expect(config).toMatchObject({ HOST: '0.0.0.0', PORT: 8402, DATA_DIR: '/data' })
    expect(config.LOG_URL).toMatch(/^kafka:/)
    if (config.ROLES.includes('query'))
      expect(saleConfig(config).payTo.map(({ name }) => name)).toEqual(['base', 'solana'])
  })

  it('sells on one network with one wallet, and names the one that is missing', () => {
    const sale = (NETWORKS: string) => {
      const { PAY_TO_BASE = '', FACILITATOR_URL = '' } = ofNetworks
      const { query } = composed({
        ...operatorValues,
        NETWORKS,
        PAY_TO_BASE,
        FACILITATOR_URL_BASE: FACILITATOR_URL,
      }).services
      return saleConfig(readConfig({ ...ofTheImage, ...query?.environment }))
    }
    expect(sale('base').payTo).toHaveLength(1)
    expect(() => sale('base,solana')).toThrow(/^PAY_TO_SOLANA is unset/)
  })

  it('asks a ClickHouse of your own, over TLS too', () => {
    const STORE_URL = 'https://farebox:secret@clickhouse.example:8443/farebox'
    const { query, operations } = composed({ ...operatorValues, STORE_URL }).services
    expect([query?.environment?.STORE_URL, operations?.environment?.STORE_URL]).toEqual([
      STORE_URL,
      STORE_URL,
    ])
  })

  it('leaves an address with a secret to its file, where its variable is set and empty', () => {
    const none = { LOG_URL: '', STORE_URL: '', BLOBS_URL: '', PAGES_URL: '' }
    const emptied = composed({ ...operatorValues, ...ofNetworks, ...none }).services
    for (const [name] of ours) expect([name, emptied[name]?.environment?.LOG_URL]).toEqual([name, ''])
    expect(emptied.query?.environment).toMatchObject(none)
    expect(emptied.operations?.environment).toMatchObject({ LOG_URL: '', STORE_URL: '', BLOBS_URL: '' })
    expect(emptied.render?.environment).toMatchObject({ LOG_URL: '', PAGES_URL: '' })
  })

  it('keeps of what a container prints the newest 100 MB', () => {
    const options = { 'max-size': '20m', 'max-file': '5' }
    for (const [name, { logging }] of Object.entries(services))
      expect([name, logging]).toEqual([name, { driver: 'json-file', options }])
  })

  it('asks for a login once there are passwords, and starts each role after its rights and topics', () => {
    const passwords = Object.fromEntries(
      ['INGEST', 'WORKER', 'QUERY', 'RENDER', 'SETTLE', 'CANARY', 'OPERATOR'].map(name => [
        `${name}_LOG_PASSWORD`,
        `${name} secret`,
      ]),
    )
    const { services } = composed({ ...operatorValues, ...passwords, QUERY_LOG_USERNAME: 'seller' })
    const logins = ours.map(([name]) => {
      const { environment, depends_on } = services[name] as Service
      expect(depends_on?.topics).toEqual({ condition: 'service_completed_successfully' })
      const { LOG_URL, LOG_USERNAME, LOG_PASSWORD } = readConfig({ ...ofTheImage, ...environment })
      expect(LOG_URL).toBe('kafka://kafka:9092?sasl=scram-sha-512')
      return [LOG_USERNAME, LOG_PASSWORD]
    })
    expect(logins).toEqual([
      ['ingest', 'INGEST secret'],
      ['worker', 'WORKER secret'],
      ['seller', 'QUERY secret'],
      ['render', 'RENDER secret'],
      ['settle', 'SETTLE secret'],
      ['canary', 'CANARY secret'],
    ])
    // The service for an operator's commands has the log, the store, the blobs and a folder, and never starts by itself.
    const { environment, networks, profiles, volumes: mounted } = services.operations as Service
    const { LOG_USERNAME, LOG_PASSWORD, STORE_URL, BLOBS_URL } = readConfig({ ...ofTheImage, ...environment })
    expect([LOG_USERNAME, LOG_PASSWORD]).toEqual(['operator', 'OPERATOR secret'])
    expect([STORE_URL, BLOBS_URL]).toEqual([
      services.query?.environment?.STORE_URL,
      services.query?.environment?.BLOBS_URL,
    ])
    expect([networks, profiles]).toEqual([['log', 'rows'], ['operations']])
    expect(mounted).toContain('./backups:/backups')
    expect(services.rights?.environment).toMatchObject({ SINK: 'worker', METER: 'worker', QUERY: 'seller' })
    expect(services.topics?.depends_on?.rights).toEqual({ condition: 'service_completed_successfully' })
    // Both use the network of the broker's container, because the operator's port is there. They run once.
    for (const { network_mode, restart } of [services.rights, services.topics] as Service[])
      expect([network_mode, restart]).toEqual(['service:kafka', 'no'])
    // A role can read no other role's files.
    for (const [name, { volumes = [] }] of ours)
      expect(volumes.filter(volume => volume.includes('/etc/farebox/kafka'))).toEqual([
        `./kafka/files/${name}:/etc/farebox/kafka:ro`,
      ])
  })

  it('runs each role in one place', () => {
    const roles = ours.flatMap(([, { environment }]) => environment?.ROLES?.split(','))
    expect(roles.toSorted()).toEqual(['canary', 'ingest', 'meter', 'query', 'render', 'settle', 'sink'])
  })

  it('gives keys for fees to settle alone', () => {
    const holders = ours.filter(([, { environment = {} }]) => 'SETTLE_KEY_BASE' in environment)
    expect(holders.map(([name]) => name)).toEqual(['settle'])
    expect(services.settle?.profiles).toEqual(['settle'])
  })

  it('gives the wallets of a customer to the canary alone, and no way to what sells but the one of customers', () => {
    const holders = ours.filter(([, { environment = {} }]) => 'CANARY_KEY_BASE' in environment)
    expect(holders.map(([name]) => name)).toEqual(['canary'])
    expect(services.canary).toMatchObject({ profiles: ['canary'], networks: ['log', 'watch'] })
    const { environment = {} } = services.canary as Service
    expect(
      Object.keys(environment).filter(name => /SIGNER_KEY|SETTLE|REFUND|STORE|BLOBS/.test(name)),
    ).toEqual([])
  })

  it('gives render no secret but its own, and no way to the store', () => {
    const { environment = {}, networks = [] } = services.render as Service
    const secrets = Object.keys(environment).filter(name => /KEY|SECRET|TOKEN$|PASSWORD|STORE|RPC/.test(name))
    // LOG_KEY is the path of a file.
    expect(secrets.toSorted()).toEqual([
      'AWS_ACCESS_KEY_ID',
      'AWS_SECRET_ACCESS_KEY',
      'LOG_KEY',
      'LOG_PASSWORD',
    ])
    // Paid answers are in another place.
    expect(environment).not.toHaveProperty('BLOBS_URL')
    expect(JSON.stringify(environment)).not.toContain('secret')
    expect(networks).not.toContain('rows')
    const text = JSON.stringify(
      (parse(deployed('compose.yaml')) as { services: { render: object } }).services.render,
    )
    // Its keys differ from a seller's.
    expect(text.match(/\$\{RENDER_(LOG_PASSWORD|AWS_SECRET_ACCESS_KEY):-\}/g)).toHaveLength(2)
    expect(services.clickhouse?.networks).toEqual(['rows'])
  })

  it('passes on every variable of the contract, and no other', () => {
    const passed = new Set(ours.flatMap(([, { environment = {} }]) => Object.keys(environment)))
    const all = new Set([...passed, ...Object.keys(ofTheImage), ...embeddedOnly])
    expect([...all].filter(name => name !== 'NODE_ENV').toSorted()).toEqual(variables.toSorted())
  })

  it('shares SEC’s limit for one host among its processes', () => {
    const rates = ours.map(
      ([, { environment, deploy }]) =>
        // README.md lets as many as four instances of query run.
        Number(environment?.SEC_RATE ?? 0) * (environment?.ROLES === 'query' ? 4 : (deploy?.replicas ?? 1)),
    )
    expect(rates.reduce((sum, rate) => sum + rate, 0)).toBeLessThanOrEqual(8)
  })

  it.each(Object.entries(services))(
    '%s: pinned, bound to this machine, and with its files',
    (_name, service) => {
      if (!service.build) {
        const [, name = '', digest] =
          /^([\w./-]+:v?\d+(?:\.\d+)+)(@sha256:[0-9a-f]{64})?$/.exec(service.image) ?? []
        expect(name).not.toBe('')
        if (!digest) expect(readme).toContain(`\`${name}\``)
        // A service that does its work and ends has no health check.
        if (service.restart !== 'no') expect(service.healthcheck?.test[0]).toBe('CMD')
      }
      for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/)
      for (const volume of service.volumes ?? []) {
        const [from = ''] = volume.split(':')
        expect(
          from.startsWith('./')
            ? existsSync(folder + from) || /^\.\/(kafka\/files\/|files\/|backups$)/.test(from)
            : from in volumes,
        ).toBe(true)
      }
    },
  )

  it('is accepted by docker compose, if it is installed', ({ skip }) => {
    try {
      execFileSync('docker', ['compose', 'version'], { stdio: 'ignore' })
    } catch {
      skip('docker compose is not installed')
    }
    // Docker keeps its plugins below one of these.
    const { PATH = '', HOME = '', DOCKER_CONFIG = `${HOME}/.docker` } = process.env
    const env = { PATH, HOME, DOCKER_CONFIG, ...operatorValues }
    execFileSync('docker', ['compose', '-f', file, 'config', '--quiet'], { env })
    expect(() =>
      execFileSync('docker', ['compose', '-f', file, 'config', '--quiet'], {
        env: { PATH, HOME, DOCKER_CONFIG },
        stdio: 'ignore',
      }),
    ).toThrow()
  })
})

it('the tables for operators describe every variable once', () => {
  const rows = [...deployed('README.md').matchAll(/^\| `([A-Z_\d]+)` +\|[^|]*\| *([^|]*?) *\|$/gm)]
  expect(rows.map(([, name]) => name).toSorted()).toEqual(variables.toSorted())
  expect(rows.filter(([, , words]) => !words)).toEqual([])
})
