/** The market of each EVM chain. */
import type { EvmChainName } from '../../../../../schemas/tables/chains.ts'
import type { EvmMarket } from '../market.ts'
import { arbitrum } from './arbitrum.ts'
import { base } from './base.ts'
import { ethereum } from './ethereum.ts'
import { optimism } from './optimism.ts'
import { polygon } from './polygon.ts'

export const markets: Readonly<Record<EvmChainName, EvmMarket>> = {
  base,
  ethereum,
  arbitrum,
  optimism,
  polygon,
}
