/** The variables of the environment: what each may hold, its default, and its words in the operators' table. */
import { z } from 'zod'
import { readS3Address } from '../pipelines/blobs/s3-address.ts'
import type { Rate } from '../pipelines/outside/upstream.ts'
import { rates, upstreams } from '../pipelines/upstreams.ts'
import {
  families,
  mainNetworks,
  networkNames,
  networks,
  payToVariables,
  rpcVariables,
} from '../schemas/networks.ts'
import { httpUrl, listOf, port, positive, rpcUrls } from './environment-kinds.ts'
import type { Origin } from './origin.ts'

export const roles = ['ingest', 'sink', 'meter', 'query'] as const
export type Role = (typeof roles)[number]

export const forEach = <Name extends string, Type>(names: readonly Name[], typeOf: (name: Name) => Type) =>
  Object.fromEntries(names.map(name => [name, typeOf(name)])) as Record<Name, Type>

export function byVariable<T extends { variable: string }, V>(all: readonly T[], of: (one: T) => V) {
  return Object.fromEntries(all.map(one => [one.variable, of(one)]))
}

const rows = Object.values(networks)
/** Of networks that share a variable, the one that the others rehearse comes first. */
export const rowOf = (variable: string) =>
  rows.find(({ payTo, rpc }) => payTo === variable || rpc === variable) as (typeof rows)[number]

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

const address = httpUrl('the address that callers know an origin by').optional()
const addressesOf = (built: readonly Origin[]) => ({
  PUBLIC_URL: address.describe(
    'the address that callers know this service by: that of every origin which has none of its own',
  ),
  ...Object.fromEntries(
    built
      .filter(origin => origin.address !== 'PUBLIC_URL')
      .map(origin => [
        origin.address,
        address.describe(`the address of the origin \`${origin.name}\`; unset, \`PUBLIC_URL\``),
      ]),
  ),
})

const code = (words: readonly string[]) => words.map(word => `\`${word}\``).join(' ')
const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
const salesNetworks = networkNames.filter(name => !networks[name].testnet)

export const environmentOf = (built: readonly Origin[]) => {
  const names = built.map(({ name }) => name)
  return z.object({
    PORT: port.default(8402).describe('where it listens'),
    HOST: z
      .string()
      .min(1, 'an address to listen on')
      .default('127.0.0.1')
      .describe('the address it listens on; the image says `0.0.0.0`'),
    ...addressesOf(built),
    ORIGINS: listOf(names)
      .default(names)
      .describe('which origins this process sells, of those that are built'),
    TRUST_PROXY: z
      .string()
      .transform(text =>
        /^\d+$/.test(text) ? Number(text) : text === 'true' ? true : text === 'false' ? false : text,
      )
      .default(false)
      .describe('how many proxies stand in front, or `true`, or their addresses'),
    RATE_LIMIT: positive('requests a minute and caller, above 0')
      .default(600)
      .describe('requests a minute and caller'),
    DATA_DIR: z
      .string()
      .min(1, 'a folder')
      .default('./data')
      .describe('the IP database, and the embedded log and store; the image says `/data`'),
    LOG_URL: z
      .string()
      .regex(
        /^(sqlite:.+|kafka:\/\/[^,/\s]+:\d+(,[^,/\s]+:\d+)*)$/,
        'sqlite:<file> or kafka://host:port,host:port',
      )
      .optional()
      .describe('or `kafka://host:port,host:port`'),
    STORE_URL: z
      .string()
      .refine(
        text => /^embedded:.+/.test(text) || (/^https?:\/\//.test(text) && URL.canParse(text)),
        'embedded:<folder> or http://user:password@host:8123/database',
      )
      .optional()
      .describe('or `http://farebox:password@host:8123/farebox`'),
    BLOBS_URL: z
      .string()
      .refine(
        text => /^file:.+/.test(text) || readS3Address(text) !== undefined,
        'file:<folder> or s3://key:secret@host:port/bucket?region=<region>&tls=false, with the secret percent-encoded',
      )
      .optional()
      .describe(
        '`file:<folder>` or `s3://host/bucket`; unset, `file:<DATA_DIR>/blobs`; required with `kafka:`: [Large answers](#large-answers)',
      ),
    AWS_ACCESS_KEY_ID: z
      .string()
      .min(1, 'the id of a key to a bucket')
      .optional()
      .describe('the key to the bucket, together with the next, where `BLOBS_URL` holds none'),
    AWS_SECRET_ACCESS_KEY: z
      .string()
      .min(1, 'the secret of a key to a bucket')
      .optional()
      .describe('together with the one above'),
    AWS_REGION: z
      .string()
      .min(1, 'the region of a bucket')
      .optional()
      .describe('the region of the bucket, where `BLOBS_URL` says none; unset, `us-east-1`'),
    STORE_PORT: port.default(8123).describe("the embedded store's HTTP port, on loopback"),
    STORE_TCP_PORT: port.default(9000).describe("the embedded store's native port, on loopback"),
    ROLES: z
      .string()
      .transform(text => (text === 'all' ? roles.join(',') : text))
      .pipe(listOf(roles))
      .default([...roles])
      .describe('what this process does'),
    LOG_LEVEL: z
      .enum(levels, `one of ${levels.join(' ')}`)
      .default('info')
      .describe(code(levels)),
    NETWORKS: listOf(networkNames)
      .refine(
        given => new Set(given.map(name => networks[name].payTo)).size === given.length,
        'a list that names a network or the one that rehearses it, not both',
      )
      .default([...mainNetworks])
      .describe(`what is sold on, of ${code(salesNetworks)}; to rehearse, their test networks (above)`),
    ...forEach(payToVariables, name => {
      const { family, title } = rowOf(name)
      const { address, addressWords } = families[family]
      return z
        .string()
        .regex(address, addressWords)
        .optional()
        .describe(`the address that is paid on ${title}; required where it is sold on`)
    }),
    ...forEach(rpcVariables, name =>
      rpcUrls
        .optional()
        .describe(`nodes of ${rowOf(name).title}, separated by commas: the first that answers is asked`),
    ),
    FACILITATOR_URL: httpUrl('the address of an x402 facilitator')
      .optional()
      .describe('the x402 facilitator; required for the query role'),
    FACILITATOR_TOKEN: z.string().min(1, 'a bearer token').optional().describe('a bearer token for it'),
    CDP_API_KEY_ID: z
      .string()
      .min(1, 'the id of a CDP key')
      .optional()
      .describe('together with the next, instead of a token'),
    CDP_API_KEY_SECRET: z
      .string()
      .min(1, 'the secret of a CDP key')
      .optional()
      .describe('together with the one above'),
    CONTACT: z
      .string()
      .min(3, 'an address for upstreams to write to')
      .default('https://github.com/farebox/farebox')
      .describe('goes into the User-Agent of every upstream call'),
    SUMMARY_URL: httpUrl('the base address of an OpenAI-compatible endpoint')
      .optional()
      .describe(
        'an OpenAI-compatible endpoint, such as `http://host/v1`, to write 8-K summaries; unset, rules do',
      ),
    SUMMARY_MODEL: z
      .string()
      .min(1, 'the name of a model')
      .optional()
      .describe('the name of its model; together with the one above'),
    SUMMARY_TOKEN: z.string().min(1, 'a bearer token').optional().describe('a bearer token for it'),
    IP_DATABASE: z
      .string()
      .min(1, 'an .mmdb file, or a folder with one for v4 and one for v6')
      .optional()
      .describe(
        'an .mmdb file, or a folder with one for v4 and one for v6; unset, the service fetches one itself',
      ),
    ...ofUpstreams,
  })
}

export type Environment = z.output<ReturnType<typeof environmentOf>>
export type RpcVariable = (typeof rpcVariables)[number]
