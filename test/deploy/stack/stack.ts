/** The compose file, up: with the real images where a registry is reached, else with stand-ins that are made here. */
import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { docker, hasImage } from '../../containers/docker.ts'
import { type StandIn, standIn } from '../../containers/stand-ins.ts'
import { type World, worldHost } from './world.ts'

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const composeFile = resolve('deploy/compose.yaml')
/** Node's image by another name, where that of the Dockerfile cannot be had. */
const localNode = process.env.NODE_IMAGE ?? 'node:24.21-bookworm'
const pullMs = 120_000

export interface Stack {
  /** Builds an older version, to run on the same volumes: Compose with the file of its checkout, and its image. */
  older(checkout: string, version: string): Promise<Stack['compose']>
  /** Where the two sellers answer on this machine. */
  sellers: readonly string[]
  /** What was run in the place of which image. */
  standIns: readonly string[]
  compose(...args: string[]): Promise<string>
  /** Runs a program in a container of the service. Resolves with its output, or with why it failed. */
  inside(service: string, ...command: string[]): Promise<string>
  /** Writes so many sales that never were into the log. */
  plant(sales: number): Promise<void>
  /** Removes volumes, as a lost disk does. Nothing may run on them. */
  lose(...volumes: string[]): Promise<void>
  remove(): Promise<void>
}

const servers = ['kafka', 'clickhouse', 'prometheus', 'alertmanager'] as const satisfies StandIn[]
type Server = (typeof servers)[number]

interface Options {
  name: string
  folder: string
  world: World
  ports: { query: string; clickhouse: number; prometheus: number; alertmanager: number }
  environment?: Readonly<Record<string, string>>
}

/** Builds every image. Nothing runs yet. */
export async function prepareStack(options: Options): Promise<Stack> {
  const { name, folder, world, environment = {} } = options
  mkdirSync(folder, { recursive: true })
  const lacking = await notPulled(options)
  const override = join(folder, 'override.yaml')
  const images: Partial<Record<Server, string>> = {}
  const write = async () => writeFileSync(override, overrideOf(options, images, await nodeArguments()))
  await write()
  const env: Record<string, string | undefined> = {
    ...process.env,
    ...world.environment,
    STORE_PASSWORD: 'ours',
    ANALYST_PASSWORD: 'theirs',
    GRAFANA_PASSWORD: 'boards',
    CONTACT: 'ops@example.org',
    PUBLIC_URL: `http://127.0.0.1:${options.ports.query.split('-')[0]}`,
    RATE_LIMIT: '1000000',
    PAGER_KEY: 'none',
    CHAT_URL: `http://${worldHost}:1/`,
    ...environment,
  }
  const compose = (...args: string[]) =>
    docker(['compose', '-p', name, '-f', composeFile, '-f', override, ...args], { env })
  await compose('--profile', '*', 'build', '--quiet', 'query', 'render', 'all')
  for (const server of servers.filter(each => lacking.includes(each))) {
    const image = await standIn(server)
    if (!image) throw new Error(`the image of ${server} cannot be had, and nothing stands in for it`)
    images[server] = image
  }
  await write()
  const [first, last] = options.ports.query.split('-').map(Number) as [number, number]
  return {
    sellers: [first, last].map(port => `http://127.0.0.1:${port}`),
    standIns: lacking,
    compose,
    older: (checkout, version) => olderCompose({ options, images, env, checkout, version }),
    inside: (service, ...command) =>
      compose('exec', '-T', service, ...command).catch((error: Error) => error.message),
    plant: async sales => {
      const program = `${here('planted-sales.ts')}:/app/planted-sales.ts:ro`
      const run = ['run', '--rm', '--no-deps', '--volume', program, 'topics']
      await compose(...run, 'node', 'planted-sales.ts', `${sales}`)
    },
    lose: async (...volumes) =>
      void (await docker(['volume', 'rm', ...volumes.map(volume => `${name}_${volume}`)])),
    remove: async () => void (await compose('--profile', 'alerting', 'down', '--volumes', '--timeout', '5')),
  }
}

/** The servers whose images neither are here nor can be had. */
async function notPulled({ name }: Options): Promise<readonly (Server | 'grafana')[]> {
  const env = {
    ...process.env,
    STORE_PASSWORD: 'x',
    ANALYST_PASSWORD: 'x',
    GRAFANA_PASSWORD: 'x',
    CONTACT: 'x@x.example',
    PUBLIC_URL: 'http://x',
  }
  const pulls = [...servers, 'grafana' as const].map(async server => {
    const pull = [
      'compose',
      '-p',
      name,
      '-f',
      composeFile,
      '--profile',
      'alerting',
      'pull',
      '--quiet',
      '--policy',
      'missing',
      server,
    ]
    return docker(pull, { env, timeout: pullMs }).then(
      () => undefined,
      () => server,
    )
  })
  return (await Promise.all(pulls)).filter(server => server !== undefined)
}

/** Empty where the images of the Dockerfile can be had. */
async function nodeArguments(): Promise<Record<string, string>> {
  return (await hasImage(localNode)) ? { NODE: localNode, NODE_SLIM: `${localNode}-slim` } : {}
}

const isHere = { extra_hosts: [`${worldHost}:host-gateway`] }
/** A network of addresses that are public, so that the service visits them. They lead nowhere but to the site. */
const street = { subnet: '11.31.7.0/24', site: '11.31.7.7' }

const published = (server: string, inner: number, outer: string | number) => ({
  [server]: { ports: `!override ["127.0.0.1:${outer}:${inner}"]` },
})
const stoodIn = (images: Partial<Record<Server, string>>): Record<string, object> =>
  merged(
    Object.fromEntries(Object.entries(images).map(([server, image]) => [server, { image }])),
    // The engine of npm in a container may not raise its limits.
    images.clickhouse ? { clickhouse: { ulimits: '!reset {}' } } : {},
  )

async function olderCompose({ options, images, env, checkout, version }: Older): Promise<Stack['compose']> {
  const file = join(options.folder, `override-${version}.yaml`)
  writeFileSync(file, olderOverrideOf(options, images, checkout))
  // It knew one facilitator.
  const FACILITATOR_URL = env.FACILITATOR_URL?.split(',')[0]
  const composeFile = join(checkout, 'deploy/compose.yaml')
  const compose: Stack['compose'] = (...args) =>
    docker(['compose', '-p', options.name, '-f', composeFile, '-f', file, ...args], {
      env: { ...env, FACILITATOR_URL, FAREBOX_VERSION: version },
    })
  await compose('build', '--quiet', 'query')
  return compose
}

interface Older {
  options: Options
  images: Partial<Record<Server, string>>
  env: Readonly<Record<string, string | undefined>>
  checkout: string
  version: string
}

function olderOverrideOf(
  { ports }: Options,
  images: Partial<Record<Server, string>>,
  checkout: string,
): string {
  const args = { NODE: /\d+\.\d+/.exec(localNode)?.[0] ?? '' }
  const build = { context: checkout, dockerfile: 'deploy/Dockerfile', args, network: 'host' }
  return yaml({
    services: merged(
      published('query', 8402, ports.query),
      published('clickhouse', 8123, ports.clickhouse),
      stoodIn(images),
      Object.fromEntries(['ingest', 'worker', 'query'].map(role => [role, isHere])),
      { query: { build } },
    ),
  })
}

/** JSON is YAML. Only the two words of Compose are not. */
const yaml = (file: object): string =>
  JSON.stringify(file, null, 2).replace(/"(!(?:override|reset) .*)"/g, (_, word: string) =>
    word.replaceAll('\\"', '"'),
  )

function overrideOf(
  { ports, folder }: Options,
  images: Partial<Record<Server, string>>,
  args: Record<string, string>,
): string {
  const build = (target: string) => ({
    context: resolve('.'),
    dockerfile: 'deploy/Dockerfile',
    target,
    args,
    network: 'host',
  })
  const probe = {
    test: ['CMD', 'node', '-e', 'fetch("http://127.0.0.1/probe").catch(() => process.exit(1))'],
  }
  const backups = join(folder, 'backups')
  mkdirSync(backups, { recursive: true })
  chmodSync(backups, 0o777)
  const site = join(folder, 'site.ts')
  cpSync(here('site/server.ts'), site)
  const services = merged(
    published('query', 8402, ports.query),
    published('clickhouse', 8123, ports.clickhouse),
    published('prometheus', 9090, ports.prometheus),
    published('alertmanager', 9093, ports.alertmanager),
    stoodIn(images),
    images.kafka ? { rights: { image: images.kafka } } : {},
    // Debian's promtool is older than the question whether a server is healthy.
    images.prometheus
      ? {
          prometheus: {
            healthcheck: { test: ['CMD', 'wget', '--spider', '-q', 'http://127.0.0.1:9090/-/healthy'] },
          },
        }
      : {},
    { grafana: { profiles: ['grafana'] } },
    { operations: { volumes: `!override ["blobs:/data/blobs", "${backups}:/backups"]` } },
    Object.fromEntries(['ingest', 'worker', 'query', 'settle', 'canary'].map(name => [name, isHere])),
    {
      query: { build: build('service'), networks: { log: {}, rows: {}, watch: {}, settle: {}, street: {} } },
    },
    { render: { build: build('render'), networks: { log: {}, watch: {}, street: {} } } },
    { all: { image: 'farebox-all', build: build('all'), profiles: ['never'] } },
    {
      // A service beside render that says who has come. One of its names looks public.
      tripwire: {
        image: 'farebox',
        command: ['node', '/site/server.ts'],
        environment: { TRIPWIRE: 'yes' },
        volumes: [`${site}:/site/server.ts:ro`],
        networks: { log: { aliases: ['inside.sample'] }, watch: {} },
        healthcheck: probe,
      },
      site: {
        image: 'farebox',
        command: ['node', '/site/server.ts'],
        volumes: [`${site}:/site/server.ts:ro`],
        networks: {
          street: { ipv4_address: street.site, aliases: ['page.sample', 'hooks.sample'] },
        },
        healthcheck: probe,
      },
    },
  )
  return yaml({ services, networks: { street: { ipam: { config: [{ subnet: street.subnet }] } } } })
}

function merged(...parts: readonly Record<string, object>[]): Record<string, object> {
  const all: Record<string, object> = {}
  for (const part of parts)
    for (const [name, service] of Object.entries(part)) all[name] = { ...all[name], ...service }
  return all
}
