/** The environment, read here and nowhere else. Everything is checked before anything opens. */
import { z } from 'zod'
import { readS3Address } from '../pipelines/blobs/s3-address.ts'
import type { Rate } from '../pipelines/outside/upstream.ts'
import { rates, upstreams } from '../pipelines/upstreams.ts'
import {
  families,
  mainNetworks,
  type NetworkName,
  networkNames,
  networks,
  payToVariables,
  rpcVariables,
} from '../schemas/networks.ts'
import type { OpenOrigin, Origin } from './origin.ts'
import { origins } from './origins/index.ts'

const roles = ['ingest', 'sink', 'meter', 'query'] as const
export type Role = (typeof roles)[number]

const httpUrl = (what: string) =>
  z
    .string()
    .refine(
      text => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol),
      `${what}, as http:// or https://`,
    )
    .transform(text => text.replace(/\/+$/, ''))
const port = z
  .string()
  .regex(/^\d{1,5}$/, 'a port, 0 to 65535')
  .transform(Number)
  .refine(n => n <= 65535, 'a port, 0 to 65535')
const listOf = <const T extends readonly string[]>(names: T) =>
  z
    .string()
    .transform(text => text.split(',').map(name => name.trim()))
    .refine(given => given.every(name => names.includes(name)), `a list out of ${names.join(',')}`)
    .refine(given => new Set(given).size === given.length, 'a list that names nothing twice')
    .transform(given => given as T[number][])
const rpcUrls = z
  .string()
  .transform(text => text.split(',').map(url => url.trim()))
  .refine(
    urls => urls.every(url => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)),
    'one or more RPC addresses, as http:// or https://, separated by commas',
  )
const positive = (what: string) =>
  z
    .string()
    .regex(/^\d+(\.\d+)?$/, what)
    .transform(Number)
    .refine(n => n > 0, what)

const rows = Object.values(networks)
const rowOf = (variable: string) =>
  rows.find(({ payTo, rpc }) => payTo === variable || rpc === variable) as (typeof rows)[number]
const forEach = <Name extends string, Type>(names: readonly Name[], typeOf: (name: Name) => Type) =>
  Object.fromEntries(names.map(name => [name, typeOf(name)])) as Record<Name, Type>

function byVariable<T extends { variable: string }, V>(all: readonly T[], of: (one: T) => V) {
  return Object.fromEntries(all.map(one => [one.variable, of(one)]))
}

const shareOf = ({ perSecond }: Rate) => {
  const what = `requests a second, above 0, at most ${perSecond}`
  return positive(what)
    .refine(n => n <= perSecond, what)
    .default(perSecond)
}
/** Named at run time only, so they are read as Config.upstreams and Config.shares and not by their names. */
const ofUpstreams: object = {
  ...byVariable(upstreams, ({ live }) => httpUrl('the base address of an upstream').default(live)),
  ...byVariable(rates, shareOf),
}

const environment = z.object({
  PORT: port.default(8402),
  HOST: z.string().min(1, 'an address to listen on').default('127.0.0.1'),
  TRUST_PROXY: z
    .string()
    .transform(text =>
      /^\d+$/.test(text) ? Number(text) : text === 'true' ? true : text === 'false' ? false : text,
    )
    .default(false),
  RATE_LIMIT: positive('requests a minute and caller, above 0').default(600),
  DATA_DIR: z.string().min(1, 'a folder').default('./data'),
  LOG_URL: z
    .string()
    .regex(
      /^(sqlite:.+|kafka:\/\/[^,/\s]+:\d+(,[^,/\s]+:\d+)*)$/,
      'sqlite:<file> or kafka://host:port,host:port',
    )
    .optional(),
  STORE_URL: z
    .string()
    .refine(
      text => /^embedded:.+/.test(text) || (/^https?:\/\//.test(text) && URL.canParse(text)),
      'embedded:<folder> or http://user:password@host:8123/database',
    )
    .optional(),
  BLOBS_URL: z
    .string()
    .refine(
      text => /^file:.+/.test(text) || readS3Address(text) !== undefined,
      'file:<folder> or s3://key:secret@host:port/bucket?region=<region>&tls=false, with the secret percent-encoded',
    )
    .optional(),
  AWS_ACCESS_KEY_ID: z.string().min(1, 'the id of a key to a bucket').optional(),
  AWS_SECRET_ACCESS_KEY: z.string().min(1, 'the secret of a key to a bucket').optional(),
  AWS_REGION: z.string().min(1, 'the region of a bucket').optional(),
  STORE_PORT: port.default(8123),
  STORE_TCP_PORT: port.default(9000),
  ROLES: z
    .string()
    .transform(text => (text === 'all' ? roles.join(',') : text))
    .pipe(listOf(roles))
    .default([...roles]),
  LOG_LEVEL: z
    .enum(
      ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      'one of fatal error warn info debug trace silent',
    )
    .default('info'),
  NETWORKS: listOf(networkNames)
    .refine(
      given => new Set(given.map(name => networks[name].payTo)).size === given.length,
      'a list that names a network or the one that rehearses it, not both',
    )
    .default([...mainNetworks]),
  ...forEach(payToVariables, name => {
    const { address, addressWords } = families[rowOf(name).family]
    return z.string().regex(address, addressWords).optional()
  }),
  ...forEach(rpcVariables, () => rpcUrls.optional()),
  FACILITATOR_URL: httpUrl('the address of an x402 facilitator').optional(),
  FACILITATOR_TOKEN: z.string().min(1, 'a bearer token').optional(),
  CDP_API_KEY_ID: z.string().min(1, 'the id of a CDP key').optional(),
  CDP_API_KEY_SECRET: z.string().min(1, 'the secret of a CDP key').optional(),
  CONTACT: z
    .string()
    .min(3, 'an address for upstreams to write to')
    .default('https://github.com/farebox/farebox'),
  SUMMARY_URL: httpUrl('the base address of an OpenAI-compatible endpoint').optional(),
  SUMMARY_MODEL: z.string().min(1, 'the name of a model').optional(),
  SUMMARY_TOKEN: z.string().min(1, 'a bearer token').optional(),
  IP_DATABASE: z.string().min(1, 'an .mmdb file, or a folder with one for v4 and one for v6').optional(),
  ...ofUpstreams,
})

/** Which origins are sold, and the address of each, which it declares the variable of. */
const environmentOf = (built: readonly Origin[]) => {
  const names = built.map(({ name }) => name)
  const addresses = ['PUBLIC_URL', ...built.map(({ address }) => address)] as const
  const address = httpUrl('the address that callers know an origin by').optional()
  return environment.extend({
    ORIGINS: listOf(names).default(names),
    ...(forEach(addresses, () => address) as Record<'PUBLIC_URL', typeof address>),
  })
}

/** Every variable of the contract; what is deployed and documented is checked against it. */
export const variables = Object.keys(environmentOf(origins).shape)

type Environment = z.output<ReturnType<typeof environmentOf>>
type RpcVariable = (typeof rpcVariables)[number]
export interface Config extends Omit<Environment, RpcVariable>, Record<RpcVariable, readonly string[]> {
  PUBLIC_URL: string
  /** Every origin that is built; ORIGINS says which of them this process sells. */
  origins: readonly OpenOrigin[]
  LOG_URL: string
  STORE_URL: string
  /** Where each upstream is, by its variable. */
  upstreams: Readonly<Record<string, string>>
  /** This process's share of each rate, by its variable. */
  shares: Readonly<Record<string, number>>
}

/** A bad value stops the start with one line: the variable, what it holds, what it should hold. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

const secret = /TOKEN|SECRET/
const withoutPassword = (text = '') => text.replace(/:\/\/.*@/, '://…@')

/** Where a process that listens there is called; an IPv6 address stands in brackets. */
export const urlOf = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`

/** The one look at it; whoever needs more than a Config is handed this. */
export const environmentOfProcess = (): Readonly<Record<string, string | undefined>> => process.env

export function readConfig(env = environmentOfProcess(), built: readonly Origin[] = origins): Config {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  )
  const parsed = environmentOf(built).safeParse(given)
  if (!parsed.success) {
    const lines = parsed.error.issues.map(issue => {
      const name = String(issue.path[0])
      const held = secret.test(name) ? 'something else' : JSON.stringify(withoutPassword(given[name]))
      return `${name} is ${held}; it should be ${issue.message}`
    })
    throw new ConfigError([...new Set(lines)].join('\n'))
  }
  const config = parsed.data
  const publicUrl = config.PUBLIC_URL ?? urlOf(config.HOST, config.PORT)
  const addresses = config as Record<string, unknown> as Record<Origin['address'], string | undefined>
  const read = config as Record<string, unknown>
  const complete: Config = {
    ...config,
    PUBLIC_URL: publicUrl,
    origins: built.map(origin => ({ ...origin, url: addresses[origin.address] ?? publicUrl })),
    LOG_URL: config.LOG_URL ?? `sqlite:${config.DATA_DIR}/log.db`,
    STORE_URL: config.STORE_URL ?? `embedded:${config.DATA_DIR}/clickhouse`,
    ...forEach(rpcVariables, name => config[name] ?? [publicNode(name, config.NETWORKS)]),
    upstreams: byVariable(upstreams, ({ variable }) => read[variable] as string),
    shares: byVariable(rates, ({ variable }) => read[variable] as number),
  }
  checkTogether(complete)
  return complete
}

/** Of the network that is sold on, where several share the variable. */
function publicNode(variable: RpcVariable, opened: readonly NetworkName[]): string {
  const name = opened.find(each => networks[each].rpc === variable)
  return (name ? networks[name] : rowOf(variable)).publicNode.url
}

function checkTogether(config: Config): void {
  const allRoles = config.ROLES.length === roles.length
  if (!allRoles && config.STORE_URL.startsWith('embedded:'))
    throw new ConfigError(
      `ROLES is "${config.ROLES.join(',')}"; it should be all of ${roles.join(',')} while STORE_URL is embedded:, for one process owns the engine`,
    )
  if (!allRoles && config.LOG_URL.startsWith('sqlite:'))
    throw new ConfigError(
      `ROLES is "${config.ROLES.join(',')}"; it should be all of ${roles.join(',')} while LOG_URL is sqlite:, for one process owns the log`,
    )
  if (Boolean(config.SUMMARY_URL) !== Boolean(config.SUMMARY_MODEL))
    throw new ConfigError(
      `${config.SUMMARY_URL ? 'SUMMARY_MODEL' : 'SUMMARY_URL'} is unset; it should be set together with its pair`,
    )
  if (Boolean(config.CDP_API_KEY_ID) !== Boolean(config.CDP_API_KEY_SECRET))
    throw new ConfigError(
      'CDP_API_KEY_ID is set without its pair; it should be set together with CDP_API_KEY_SECRET',
    )
}

/** The origins that this process sells. */
export const sold = ({ ORIGINS, origins }: Config): readonly OpenOrigin[] =>
  origins.filter(({ name }) => ORIGINS.includes(name))

/** What selling needs, and nothing else does: asked for only where the query role runs. */
export interface SaleConfig {
  facilitatorUrl: string
  payTo: { name: NetworkName; address: string }[]
  /** With the key to its bucket, where it is one. */
  blobsUrl: string
}

export function saleConfig(config: Config): SaleConfig {
  const payTo = config.NETWORKS.map(name => {
    const { payTo: variable, title } = networks[name]
    const address = config[variable]
    if (!address)
      throw new ConfigError(
        `${variable} is unset; it should be the address that is paid on ${title} (or leave ${name} out of NETWORKS)`,
      )
    return { name, address }
  })
  if (!config.FACILITATOR_URL)
    throw new ConfigError('FACILITATOR_URL is unset; it should be the address of an x402 facilitator')
  return { facilitatorUrl: config.FACILITATOR_URL, payTo, blobsUrl: blobsUrlOf(config) }
}

function blobsUrlOf(config: Config): string {
  const { BLOBS_URL: given, AWS_ACCESS_KEY_ID: key, AWS_SECRET_ACCESS_KEY: secret, AWS_REGION } = config
  // Nobody can tell from here how many processes sell over one Kafka, so whoever runs them says where all of them look.
  if (!given && config.LOG_URL.startsWith('kafka:'))
    throw new ConfigError(
      'BLOBS_URL is unset; it should be s3://host/bucket, or a file:<folder> that all query processes share, while LOG_URL is kafka:, for one of them replays what another sold',
    )
  const address = readS3Address(given ?? '')
  if (!given || !address) return given ?? `file:${config.DATA_DIR}/blobs`
  const url = new URL(given)
  if (!address.key) {
    if (!key || !secret)
      throw new ConfigError(
        `${key ? 'AWS_SECRET_ACCESS_KEY' : 'AWS_ACCESS_KEY_ID'} is unset; it should be set while BLOBS_URL is s3:// without a key`,
      )
    url.username = encodeURIComponent(key)
    url.password = encodeURIComponent(secret)
  }
  if (!address.region && AWS_REGION) url.searchParams.set('region', AWS_REGION)
  return url.href
}
