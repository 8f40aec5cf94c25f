/** Writes each price to the log, so that analysts have its history. No caller waits for it. */
import { tokenPrices } from '../../../schemas/token-prices.ts'
import { entryOf, type Log } from '../../rails/log/log.ts'
import type { ChainPrice, ChainReader } from './reader.ts'
import { isRefused } from './reader.ts'

export interface PriceRecord {
  log: Log
  onFailed(error: unknown): void
}

export function recording(reader: ChainReader, { log, onFailed }: PriceRecord): ChainReader {
  async function record(price: ChainPrice): Promise<void> {
    try {
      const event = tokenPrices.event.parse(eventOf(price))
      await log.append(tokenPrices.topic, [entryOf(tokenPrices, event)])
    } catch (error) {
      // The history lacks one price, but the caller has it.
      onFailed(error)
    }
  }
  return {
    ...reader,
    async price(token) {
      const price = await reader.price(token)
      if (!isRefused(price)) void record(price)
      return price
    },
  }
}

const eventOf = ({
  chain,
  token,
  fetched_at,
  block,
  symbol,
  price_usd,
  depth_usd,
  pool,
  pools_seen,
}: ChainPrice) => ({
  chain,
  token,
  at: fetched_at,
  block,
  symbol,
  price_usd,
  depth_usd,
  pool: pool.address,
  pool_kind: pool.kind,
  quote: pool.quote,
  pools_seen,
})
