import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { DCLinter } from 'dclint'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readConfig, saleConfig } from '../../services/config/config.ts'
import { environmentOf } from '../../services/config/environment.ts'
import { origins } from '../../services/origins/index.ts'
import { deployed } from './queries.ts'

const folder = fileURLToPath(new URL('../../deploy/', import.meta.url))
const file = `${folder}compose.yaml`
/** Names the images that are not pinned by their digest yet. */
const readme = deployed('README.md').match(/^.*without a digest.*$/m)?.[0] ?? ''

/** Compose refuses to start without any of these. */
const operatorValues: Record<string, string> = {
  STORE_PASSWORD: 'secret',
  ANALYST_PASSWORD: 'secret',
  CONTACT: 'operator@example.org',
  PUBLIC_URL: 'https://farebox.example',
  PAY_TO_BASE: `0x${'0'.repeat(40)}`,
  PAY_TO_SOLANA: '1'.repeat(32),
  FACILITATOR_URL: 'https://facilitator.example',
  GRAFANA_PASSWORD: 'secret',
}

interface Service {
  image: string
  build?: { context: string; dockerfile: string }
  environment?: Record<string, string>
  volumes?: string[]
  ports?: string[]
  networks?: string[]
  deploy?: { replicas: number }
  healthcheck?: { test: string[] }
}

const variables = Object.keys(environmentOf(origins).shape)

const required = new Set<string>()
// Compose too parses the file first, and inserts the values then.
const filled = JSON.stringify(parse(deployed('compose.yaml'), { merge: true })).replaceAll(
  /\$\{(\w+):([-?])([^}]*)\}/g,
  (_all, name, kind, rest) => {
    if (kind === '?') required.add(name)
    return operatorValues[name] ?? (kind === '-' ? rest : '')
  },
)
const { services, volumes } = JSON.parse(filled) as {
  services: Record<string, Service>
  volumes: Record<string, unknown>
}
const ours = Object.entries(services).filter(([, service]) => service.build)

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

  it('demands what only an operator can know, and nothing more', () => {
    expect([...required].toSorted()).toEqual(Object.keys(operatorValues).toSorted())
  })

  it.each(ours)('%s starts from an environment that the service accepts', (_name, { environment }) => {
    const config = readConfig({ ...ofTheImage, ...environment })
    expect(config).toMatchObject({ HOST: '0.0.0.0', PORT: 8402, DATA_DIR: '/data' })
    expect(config.LOG_URL).toMatch(/^kafka:/)
    if (config.ROLES.includes('query'))
      expect(saleConfig(config).payTo.map(({ name }) => name)).toEqual(['base', 'solana'])
  })

  it('runs each role in one place', () => {
    const roles = ours.flatMap(([, { environment }]) => environment?.ROLES?.split(','))
    expect(roles.toSorted()).toEqual(['ingest', 'meter', 'query', 'render', 'sink'])
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
    expect(JSON.stringify(environment)).not.toContain('secret')
    expect(networks).not.toContain('rows')
    const text = JSON.stringify((parse(deployed('compose.yaml')) as { services: object }).services)
    // Its keys are not those of a seller.
    expect(text.match(/\$\{RENDER_(LOG_PASSWORD|AWS_SECRET_ACCESS_KEY):-\}/g)).toHaveLength(2)
    expect(services.clickhouse?.networks).toEqual(['rows'])
  })

  it('passes on every variable of the contract, and no other', () => {
    const passed = new Set(ours.flatMap(([, { environment = {} }]) => Object.keys(environment)))
    const all = new Set([...passed, ...Object.keys(ofTheImage), ...embeddedOnly])
    expect([...all].filter(name => name !== 'NODE_ENV').toSorted()).toEqual(variables.toSorted())
  })

  it('shares what SEC allows one host among its processes', () => {
    const rates = ours.map(
      ([, { environment, deploy }]) =>
        ('SEC_RATE' in (environment ?? {}) ? Number(environment?.SEC_RATE) : 0) * (deploy?.replicas ?? 1),
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
        expect(service.healthcheck?.test[0]).toBe('CMD')
      }
      for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/)
      for (const volume of service.volumes ?? []) {
        const [from = ''] = volume.split(':')
        expect(from.startsWith('./') ? existsSync(folder + from) : from in volumes).toBe(true)
      }
    },
  )

  it('is accepted by docker compose, where there is one', ({ skip }) => {
    try {
      execFileSync('docker', ['compose', 'version'], { stdio: 'ignore' })
    } catch {
      skip('docker compose is not installed')
    }
    const env = { PATH: process.env.PATH ?? '', ...operatorValues }
    execFileSync('docker', ['compose', '-f', file, 'config', '--quiet'], { env })
    expect(() =>
      execFileSync('docker', ['compose', '-f', file, 'config', '--quiet'], {
        env: { PATH: env.PATH },
        stdio: 'ignore',
      }),
    ).toThrow()
  })
})

it('the tables for operators describe every variable once', () => {
  const rows = [...deployed('README.md').matchAll(/^\| `([A-Z_]+)` +\|[^|]*\| *([^|]*?) *\|$/gm)]
  expect(rows.map(([, name]) => name).toSorted()).toEqual(variables.toSorted())
  expect(rows.filter(([, , words]) => !words)).toEqual([])
})
