/** The options of the seller's process, and the one operation that it sells. */
import { z } from 'zod'
import { refunds } from '../../schemas/refunds.ts'
import { secCompanies } from '../../schemas/sec-companies.ts'
import { settleCosts } from '../../schemas/settle-costs.ts'
import { defineOperation, type Tools } from '../../services/offer/operation.ts'
import type { TillConfig } from '../../services/till/open-till.ts'
import { topics } from '../services/till/till-options.ts'
import type { Plan } from './plan.ts'

export interface SellerOptions {
  folder: string
  port: number
  config: TillConfig
  /** The milliseconds by which the test has moved the clocks forward. */
  aheadMs: number
  plans: Pick<Plan, 'id' | 'crash' | 'log' | 'storeDown'>[]
  /** Over these it sends what it signs. */
  nodes: Keys
  /** It settles by itself, and listens there. */
  own: { port: number; keys: Keys } | undefined
  refundKeys: Keys | undefined
  /** It may set prices and payees. */
  priceFile: string | undefined
}

type Keys = Record<'base' | 'solana', string>

export const price = 2000n
/** What the file of prices asks now and then, in USDC. */
export const otherPrice = '0.003'

/** All that a seller writes. */
export const sellerTopics = [...topics, secCompanies.topic, refunds.topic, settleCosts.topic]

export const draw = (drawn: (run: number, tools: Tools) => Promise<string>) =>
  defineOperation({
    id: 'drawOnce',
    path: '/draw',
    price: '0.002',
    costs: 'looked up',
    title: 'Draw',
    about: 'Draws something that nobody else has.',
    tags: ['draw'],
    request: z.strictObject({ run: z.number() }),
    response: z.object({ run: z.number(), drawn: z.string() }),
    refusals: {},
    example: { request: { run: 1 }, response: { run: 1, drawn: 'x' } },
    answer: async ({ run }, tools) => ({ run, drawn: await drawn(run, tools) }),
  })
