/** The variables of the environment, each with its check, its default and its description for operators. */
import { z } from 'zod'
import { rates, upstreams } from '../../pipelines/index.ts'
import { searchApiNames } from '../../pipelines/lookups/search.ts'
import type { Rate } from '../../pipelines/rails/outside/upstreams/upstream.ts'
import { samplers } from '../../pipelines/rails/tracing/sampler.ts'
import { chainNames, chains, publicNodeOf, readOnlyVariables } from '../../schemas/tables/chains.ts'
import {
  families,
  mainNetworks,
  networkNames,
  networks,
  payToVariables,
  rpcVariables,
} from '../../schemas/tables/networks.ts'
import type { Origin } from '../offer/origin.ts'
import { attestVariables } from './environment-attest.ts'
import { blobVariables } from './environment-blobs.ts'
import { httpUrl, listOf, port, positive, rpcUrls } from './environment-kinds.ts'
import { logVariables } from './environment-log.ts'

export const roles = ['ingest', 'sink', 'meter', 'query', 'render'] as const
export type Role = (typeof roles)[number]

export const forEach = <Name extends string, Type>(names: readonly Name[], typeOf: (name: Name) => Type) =>
  Object.fromEntries(names.map(name => [name, typeOf(name)])) as Record<Name, Type>

export function byVariable<T extends { variable: string }, V>(all: readonly T[], of: (one: T) => V) {
  return Object.fromEntries(all.map(one => [one.variable, of(one)]))
}

const rows = Object.values(networks)
/** Where networks share a variable, this is the main network, which comes first. */
export const rowOf = (variable: string) =>
  rows.find(({ payTo, rpc }) => payTo === variable || rpc === variable) as (typeof rows)[number]

const shareOf = ({ perSecond }: Rate) => {
  const what = `a number of requests per second, above 0, at most ${perSecond}`
  return positive(what)
    .refine(n => n <= perSecond, what)
    .default(perSecond)
}
/** Their names are known at run time only, so Config has them as `upstreams` and `shares`. */
const ofUpstreams: object = {
  ...byVariable(upstreams, ({ live }) => httpUrl('the base address of an upstream').default(live)),
  ...byVariable(rates, shareOf),
}

const address = httpUrl('the address that callers know an origin by').optional()
const addressesOf = (built: readonly Origin[]) => ({
  PUBLIC_URL: address.describe('the public address of this service, for every origin without its own'),
  ...Object.fromEntries(
    // Some origins share an address.
    Object.entries(Object.groupBy(built, origin => origin.address)).flatMap(([variable, sharing = []]) => {
      const names = sharing.map(({ name }) => `\`${name}\``).join(' and ')
      const words = `the public address of the ${sharing.length > 1 ? 'origins' : 'origin'} ${names}`
      return variable === 'PUBLIC_URL'
        ? []
        : [[variable, address.describe(`${words}; \`PUBLIC_URL\` if unset`)]]
    }),
  ),
})

function chainNodes(variable: (typeof readOnlyVariables)[number]): string {
  const name = chainNames.find(each => chains[each].rpc === variable) as (typeof chainNames)[number]
  const unset = publicNodeOf(name) ? 'a public node if unset' : 'unset, the chain is not read'
  return `nodes of ${chains[name].title} for the origin \`chain\`, separated by commas; ${unset}`
}

const code = (words: readonly string[]) => words.map(word => `\`${word}\``).join(' ')
const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
const salesNetworks = networkNames.filter(name => !networks[name].testnet)

export const environmentOf = (built: readonly Origin[]) => {
  const names = built.map(({ name }) => name)
  return z.object({
    PORT: port.default(8402).describe('the port that it listens on'),
    HOST: z
      .string()
      .min(1, 'an address to listen on')
      .default('127.0.0.1')
      .describe('the address that it listens on; `0.0.0.0` in the image'),
    ...addressesOf(built),
    ORIGINS: listOf(names).default(names).describe('the origins that this process sells'),
    MCP_URL: httpUrl('the address that callers know /mcp by')
      .transform(url => url.replace(/\/mcp$/, ''))
      .optional()
      .describe('the address of the service for MCP clients, without `/mcp`; unset, `PUBLIC_URL`'),
    TRUST_PROXY: z
      .string()
      .transform(text =>
        /^\d+$/.test(text) ? Number(text) : text === 'true' ? true : text === 'false' ? false : text,
      )
      .default(false)
      .describe('the number of proxies in front, or `true`, or their addresses'),
    RATE_LIMIT: positive('a number of requests per minute and caller, above 0')
      .default(600)
      .describe('requests per minute and caller'),
    FREE_CALLS_A_DAY: z
      .string()
      .regex(/^\d{1,9}$/, 'a number of calls, 0 or more')
      .transform(Number)
      .default(2000)
      .describe('free calls per day over MCP, for all callers together; each caller has 3'),
    DATA_DIR: z
      .string()
      .min(1, 'a folder')
      .default('./data')
      .describe('holds the IP database, the embedded log, store and blobs; `/data` in the image'),
    ...logVariables,
    STORE_URL: z
      .string()
      .refine(
        text => /^embedded:.+/.test(text) || (/^https?:\/\//.test(text) && URL.canParse(text)),
        'embedded:<folder> or http://user:password@host:8123/database',
      )
      .optional()
      .describe('or `http://farebox:password@host:8123/farebox`'),
    STORE_CLUSTER: z
      .string()
      .regex(/^[A-Za-z_]\w*$/, 'the name of a cluster in ClickHouse, in letters, digits and _')
      .optional()
      .describe(
        'the cluster of ClickHouse that shares the rows, by its name there; one server has them all if unset: [A cluster of ClickHouse](#a-cluster-of-clickhouse)',
      ),
    ...blobVariables,
    STORE_PORT: port
      .default(8123)
      .describe(
        "the embedded store's HTTP port, on loopback; `npm run query` and `npm run export` ask it there",
      ),
    STORE_TCP_PORT: port
      .default(9000)
      .describe("the embedded store's native port, on loopback; `clickhouse-client` asks it there"),
    ROLES: z
      .string()
      .transform(text => (text === 'all' ? roles.join(',') : text))
      .pipe(listOf(roles))
      .default([...roles])
      .describe('the roles of this process'),
    LOG_LEVEL: z
      .enum(levels, `one of ${levels.join(' ')}`)
      .default('info')
      .describe(code(levels)),
    NETWORKS: listOf(networkNames)
      .refine(
        listed => new Set(listed.map(name => networks[name].payTo)).size === listed.length,
        'a list that names a network or its test network, not both',
      )
      .default([...mainNetworks])
      .describe(
        `the networks to sell on: ${code(salesNetworks)}; for a rehearsal, their test networks (above)`,
      ),
    ...forEach(payToVariables, name => {
      const { family, title } = rowOf(name)
      const { address, addressWords } = families[family]
      return z
        .string()
        .regex(address, addressWords)
        .optional()
        .describe(`your wallet on ${title}; required if \`NETWORKS\` names it or its test network`)
    }),
    ...forEach(rpcVariables, name =>
      rpcUrls
        .optional()
        .describe(`nodes of ${rowOf(name).title}, separated by commas; the first that answers is used`),
    ),
    ...forEach(readOnlyVariables, name => rpcUrls.optional().describe(chainNodes(name))),
    FACILITATOR_URL: httpUrl('the address of an x402 facilitator')
      .optional()
      .describe('the x402 facilitator; required for the query role'),
    FACILITATOR_TOKEN: z.string().min(1, 'a bearer token').optional().describe('a bearer token for it'),
    CDP_API_KEY_ID: z
      .string()
      .min(1, 'the id of a CDP key')
      .optional()
      .describe('together with the next one, in place of a token'),
    CDP_API_KEY_SECRET: z
      .string()
      .min(1, 'the secret of a CDP key')
      .optional()
      .describe('together with the one above'),
    SIGNER_KEY: z
      .string()
      .transform(text => text.split(',').map(key => key.trim()))
      .refine(
        keys => keys.every(key => /^0x[0-9a-fA-F]{64}$/.test(key)),
        'one or more keys of 0x and 64 hex digits, separated by commas',
      )
      .optional()
      .describe('signs offers and receipts; to change it, put the new key in front of the old one'),
    ...attestVariables,
    WEIGH_KEY: z
      .string()
      .transform(text => text.split(',').map(key => key.trim()))
      .refine(
        keys => keys.every(key => /^0x[0-9a-fA-F]{64}$/.test(key)),
        'one or more keys of 0x and 64 hex digits, separated by commas',
      )
      .optional()
      .describe(
        'proves the messages of `/weigh`, hides webhook secrets and signs webhooks; without it there are no subscriptions; to change it, put the new key in front of the old one',
      ),
    CONTACT: z
      .string()
      .min(3, 'an address for upstreams to write to')
      .default('https://github.com/farebox/farebox')
      .describe('part of the User-Agent of every upstream call'),
    SUMMARY_URL: httpUrl('the base address of an OpenAI-compatible endpoint')
      .optional()
      .describe(
        'an OpenAI-compatible endpoint that writes summaries of 8-Ks, texts and pages, such as `http://host/v1`; rules write them if unset',
      ),
    SUMMARY_MODEL: z
      .string()
      .min(1, 'the name of a model')
      .optional()
      .describe('the name of its model; required with `SUMMARY_URL`'),
    SUMMARY_TOKEN: z.string().min(1, 'a bearer token').optional().describe('a bearer token for it'),
    BROWSER: z
      .string()
      .min(1, 'the path of a Chromium')
      .optional()
      .describe(
        'the Chromium that renders pages; the one of the package `@sparticuz/chromium` if unset, where it is installed',
      ),
    BROWSER_SANDBOX: z
      .enum(['on', 'off'], 'on or off')
      .default('on')
      .describe(
        '`off` runs the browser without its own sandbox: only where nothing else of worth is in its container',
      ),
    SEARCH_API: z
      .enum(searchApiNames, `one of ${searchApiNames.join(' ')}`)
      .optional()
      .describe(
        `how web search is asked: ${code(searchApiNames)}; operations that search answer 503 if unset. \`SEARCH_URL\` is its own address if unset, and required with \`searxng\``,
      ),
    SEARCH_TOKEN: z.string().min(1, 'a key').optional().describe('the key to it'),
    IP_DATABASE: z
      .string()
      .min(1, 'an .mmdb file, or a folder with one for IPv4 and one for IPv6')
      .optional()
      .describe(
        'an .mmdb file, or a folder with one for IPv4 and one for IPv6; the service fetches one if unset',
      ),
    IP_EXTRAS: z
      .string()
      .min(1, 'a folder')
      .optional()
      .describe(
        'a folder with an .mmdb of networks (ASN), or [the files of a package](#networks-of-ip-addresses), and lists of prefixes `hosting.txt`, `tor.txt`, `relay.txt`, whose first comment names the source; what is absent is null in the answers',
      ),
    OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl('the base address of an OpenTelemetry collector')
      .optional()
      .describe('an OpenTelemetry collector (OTLP over HTTP, without `/v1/traces`); no traces if unset'),
    OTEL_EXPORTER_OTLP_HEADERS: z
      .string()
      .regex(/^[^=,\s]+=[^,]*(,[^=,\s]+=[^,]*)*$/, 'name=value,name=value, percent-encoded')
      .transform(text =>
        Object.fromEntries(
          text.split(',').map(pair => {
            const [name = '', value = ''] = pair.split(/=(.*)/s)
            return [name, decodeURIComponent(value.trim())]
          }),
        ),
      )
      .optional()
      .describe('headers for it, `name=value,name=value`, percent-encoded'),
    OTEL_SERVICE_NAME: z
      .string()
      .min(1, 'a name')
      .default('farebox')
      .describe('the name of this service in traces'),
    OTEL_TRACES_SAMPLER: z
      .enum(samplers, `one of ${samplers.join(' ')}`)
      .default('parentbased_always_on')
      .describe(code(samplers)),
    OTEL_TRACES_SAMPLER_ARG: z
      .string()
      .refine(text => Number(text) >= 0 && Number(text) <= 1, 'a share, 0 to 1')
      .transform(Number)
      .default(1)
      .describe('the share of traces that `traceidratio` keeps'),
    ...ofUpstreams,
  })
}

export type Environment = z.output<ReturnType<typeof environmentOf>>
export type RpcVariable = (typeof rpcVariables)[number]
