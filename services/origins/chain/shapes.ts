/** The parts that the operations of this origin share: fields, common refusals, and the reading of a question. */
import { z } from 'zod'
import { addressOn } from '../../../pipelines/domains/chain/addresses.ts'
import {
  type ChainRefused,
  isRefused,
  type Pool,
  poolKinds,
  type TokenCheck,
  warnings,
} from '../../../pipelines/domains/chain/reader.ts'
import { isSymbol, tokenCalled } from '../../../pipelines/domains/chain/symbols.ts'
import type { Lookup } from '../../../pipelines/lookups/lookup.ts'
import { UpstreamFailed } from '../../../pipelines/rails/failures.ts'
import { type ChainName, chainCalled, chainNames, chains } from '../../../schemas/tables/chains.ts'
import { exact } from '../../../schemas/values/values.ts'
import { number } from '../../offer/answer.ts'
import type { Tools } from '../../offer/operation.ts'

const text = z.string().nullable()

export const chainAsked = z
  .string()
  .max(40)
  .describe(`One of ${chainNames.join(', ')}; or a CAIP-2 id`)
export const addressAsked = z.string().min(1).max(120)
export const tokenAsked = addressAsked.describe('Contract, mint, or a well-known symbol')

export const seen = {
  chain: z.enum(chainNames),
  block: z.int().describe('The height, on Solana the slot, that every number was read at'),
  fetched_at: z.string(),
  source: z.string().describe('The host of the node that was asked'),
  confirmed_by: text.describe(
    'The host of a second node that read the same at this block, on Solana at this slot or a later one; null: none is named, or it could not tell',
  ),
}

const units = 'In units, as decimal text; null: the token does not say its decimals'
export const amount = z.strictObject({ balance: text.describe(units), raw: z.string().describe('In atoms') })

export const pool = z.strictObject({
  address: z.string(),
  kind: z.enum(poolKinds),
  fee: exact().describe('In percent, as `fee_pct`'),
  fee_pct: exact(),
  quote: z.string().describe('The token that it is priced in'),
})

type Code = keyof typeof warnings
const codes = Object.keys(warnings) as [Code, ...Code[]]
export const warningList = z
  .array(
    z.strictObject({
      code: z.enum(codes),
      severity: z.enum(['info', 'caution', 'danger']),
      evidence: z.string(),
    }),
  )
  .describe('Facts with their evidence, no score')

export const depth = exact().describe('Dollars that the pool pays out while its price falls by 2 %')

export const checked = {
  token: z.string(),
  name: text,
  symbol: text,
  total_supply: text.describe(units),
  price_usd: exact().nullable().describe('From the deepest pool; null: no pool'),
  depth_usd: depth.nullable(),
  thin_liquidity: z.boolean().nullable().describe('The depth is below $5,000'),
  pool: pool.nullable(),
  buy_tax_pct: exact()
    .nullable()
    .describe('Found by a trial that leaves nothing on the chain; null: not tried'),
  sell_tax_pct: exact().nullable(),
  sellable: z
    .boolean()
    .nullable()
    .describe(
      'A buyer could sell, at the latest a day and a half after the purchase, and a month after it; null: not tried',
    ),
  tried: text.describe(
    'Who bought how much through which router, and when they sold; null: nothing was tried',
  ),
  warnings: warningList,
}

export const usd = (decimal: string) => number(decimal)
export const usdOrNull = (decimal: string | null) => (decimal === null ? null : number(decimal))
export const shownPool = (found: Pool) => ({ ...found, fee: number(found.fee), fee_pct: number(found.fee) })
export const shownCheck = (check: TokenCheck) => ({
  ...check,
  price_usd: usdOrNull(check.price_usd),
  depth_usd: usdOrNull(check.depth_usd),
  pool: check.pool && shownPool(check.pool),
  buy_tax_pct: usdOrNull(check.buy_tax_pct),
  sell_tax_pct: usdOrNull(check.sell_tax_pct),
})

export const chainRefusals = {
  invalid_address: {
    status: 400,
    about:
      'The text is no address on the chain: its form or its checksum is wrong, or it is of another kind of chain',
  },
  unsupported_chain: { status: 400, about: 'We do not read this chain' },
  nodes_disagree: { status: 502, about: 'Two nodes give different answers of the same block' },
} as const

export const tokenRefusals = {
  ...chainRefusals,
  not_a_token: { status: 422, about: 'There is no token at the address' },
} as const

type Refuse<Codes extends string> = (code: Codes, message: string) => never

export function chainOf(name: string, refuse: Refuse<'unsupported_chain'>): ChainName {
  const chain = chainCalled(name)
  return chain ?? refuse('unsupported_chain', `chain should be one of ${chainNames.join(', ')}`)
}

export const addressIn = (chain: ChainName, given: string, refuse: Refuse<'invalid_address'>): string =>
  found(addressOn(chain, given), refuse)

interface Meant {
  /** The symbol of the native coin means its wrapped form. Beside the balance of the coin itself it may not. */
  coin: boolean
}

/** A token by its address, or by the symbol of a well-known one. */
export function tokenIn(
  chain: ChainName,
  given: string,
  refuse: Refuse<'invalid_address'>,
  meant: Meant = { coin: true },
): string {
  const token = isSymbol(given) ? tokenCalled(chain, given, meant) : undefined
  const read = addressOn(chain, token ?? given)
  if (!isRefused(read)) return read
  const more = isSymbol(given) ? ', and no well-known token there has this symbol' : ''
  return refuse('invalid_address', `${read.because}${more}`)
}

/** Removes duplicates and keeps the caller's order. The native coin is in every answer, so to name it asks for nothing more. */
export function tokensIn(
  chain: ChainName,
  given: readonly string[] | undefined,
  refuse: Refuse<'invalid_address'>,
): string[] | undefined {
  const coin = chains[chain].native.symbol.toLowerCase()
  const tokens = given?.filter(one => one.trim().toLowerCase() !== coin)
  return tokens && [...new Set(tokens.map(one => tokenIn(chain, one, refuse, { coin: false })))]
}

/** Refuses where less than half of what was asked for would be in the answer. */
export function mostMustTell(
  { named, silent }: { named: number; silent: readonly string[] },
  refuse: Refuse<'not_a_token'>,
): void {
  if (2 * silent.length > named)
    refuse(
      'not_a_token',
      `${silent.length} of the ${named} tokens that you name do not tell what the address holds, or are none: ${silent.join(', ')}`,
    )
}

/** Finds a fact of a chain. If its nodes fail, the failure names the chain: a sandbox has not all of them. */
export async function readWith<Key extends { chain: ChainName }, Value>(
  find: Tools['find'],
  lookup: Lookup<Key, Value>,
  asked: Key,
): Promise<Value | undefined> {
  try {
    return await find(lookup, asked)
  } catch (error) {
    if (error instanceof UpstreamFailed)
      error.told = `The nodes of ${chains[asked.chain].title} do not answer, or not in time`
    throw error
  }
}

type CodeOf<Answer> = Answer extends ChainRefused<infer C> ? C : never

/** Returns the answer. Where the reader gave a refusal instead, throws that refusal. */
export function found<Answer>(
  answer: Answer,
  refuse: Refuse<CodeOf<Answer>>,
): Exclude<Answer, ChainRefused<string> | undefined> {
  if (answer === undefined) throw new Error('the reader of a chain always answers')
  if (isRefused(answer))
    return refuse((answer as ChainRefused<CodeOf<Answer>>).refused, (answer as ChainRefused<string>).because)
  return answer as Exclude<Answer, ChainRefused<string> | undefined>
}
