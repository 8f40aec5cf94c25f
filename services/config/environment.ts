/** Every variable of the environment: those of the process, and those of its parts. */
import { z } from 'zod'
import { chainVariables } from '../../pipelines/domains/chain/variables.ts'
import { networkVariables } from '../../pipelines/domains/payments/variables.ts'
import { rates, upstreams } from '../../pipelines/index.ts'
import { lookups } from '../../pipelines/lookups/index.ts'
import { blobsVariables } from '../../pipelines/rails/blobs/variables.ts'
import { code, httpUrl, listOf, positive, text } from '../../pipelines/rails/environment/kinds.ts'
import { roles, serviceRoles } from '../../pipelines/rails/environment/roles.ts'
import type { Variables } from '../../pipelines/rails/environment/variables.ts'
import { logVariables } from '../../pipelines/rails/log/variables.ts'
import type { UpstreamRate } from '../../pipelines/rails/outside/upstreams/upstream.ts'
import { storeVariables } from '../../pipelines/rails/store/variables.ts'
import { tracingVariables } from '../../pipelines/rails/tracing/variables.ts'
import { canaryVariables } from '../canary/variables.ts'
import type { Origin } from '../offer/origin.ts'
import { workersOf } from '../origins/index.ts'
import { doorVariables } from '../query/variables.ts'
import { settleVariables } from '../till/settle/variables.ts'
import { tillVariables } from '../till/variables.ts'

export function byVariable<T extends { variable: string }, V>(all: readonly T[], of: (one: T) => V) {
  return Object.fromEntries(all.map(one => [one.variable, of(one)]))
}

const shareOf = ({ perSecond }: UpstreamRate) => {
  const what = `a number of requests per second, above 0, at most ${perSecond}`
  return positive(what)
    .refine(n => n <= perSecond, what)
    .default(perSecond)
}
/** The names are known at run time only, so Config has the values as `upstreams` and `shares`. */
const ofUpstreams: object = {
  ...byVariable(upstreams, ({ live }) => httpUrl('the base address of an upstream').default(live)),
  ...byVariable(rates, shareOf),
}

const address = httpUrl('the address that callers know an origin by').optional()
const about = ({ name, unset = 'PUBLIC_URL' }: Origin) =>
  `the public address of the origin \`${name}\`; \`${unset}\` if unset`
const addressesOf = (built: readonly Origin[]) => ({
  PUBLIC_URL: address.describe('the public address of this service, for every origin without its own'),
  ...Object.fromEntries(
    built
      .filter(origin => origin.address !== 'PUBLIC_URL')
      .map(origin => [origin.address, address.describe(about(origin))]),
  ),
})

/** The variables of lookups, workers and origins. */
export const declaredIn = (built: readonly Origin[]): readonly Variables[] => [
  ...new Set([...lookups, ...built, ...workersOf(built)].flatMap(({ variables = [] }) => variables)),
]

const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

const ofProcess = {
  DATA_DIR: text('a folder')
    .default('./data')
    .describe('holds the IP database, the embedded log, store and blobs; `/data` in the image'),
  ROLES: z
    .string()
    .transform(given => (given === 'all' ? serviceRoles.join(',') : given))
    .pipe(listOf(roles))
    .default([...serviceRoles])
    .describe('the roles of this process; `canary` is alone in its own: [The canary](#the-canary)'),
  LOG_LEVEL: z
    .enum(levels, `one of ${levels.join(' ')}`)
    .default('info')
    .describe(code(levels)),
  CONTACT: z
    .string()
    .min(3, 'an address for upstreams to write to')
    .default('https://github.com/farebox/farebox')
    .describe('part of the User-Agent of every upstream call'),
}

export const environmentOf = (built: readonly Origin[]) => {
  const names = built.map(({ name }) => name)
  // The names are known at run time only, so each part reads its own variables.
  const ofParts: object = Object.assign({}, ...declaredIn(built).map(({ shape }) => shape))
  return z.object({
    ...doorVariables,
    ...addressesOf(built),
    SELL: text('files of operations, separated by commas')
      .optional()
      .describe(
        'files of operations that are sold beside the others, separated by commas: [Sell your own](../services/sell/README.md)',
      ),
    PRICES: text('a file of prices')
      .optional()
      .describe(
        'a file of prices and payees, read again when it changes: [Prices that change](../services/sell/README.md#prices-that-change)',
      ),
    ORIGINS: listOf(names).default(names).describe('the origins that this process sells'),
    ...ofProcess,
    ...logVariables.shape,
    ...storeVariables,
    ...blobsVariables,
    ...networkVariables.shape,
    ...chainVariables.shape,
    ...tillVariables,
    ...settleVariables,
    ...canaryVariables.shape,
    ...tracingVariables.shape,
    ...ofParts,
    ...ofUpstreams,
  })
}

export type Values = z.output<ReturnType<typeof environmentOf>>
