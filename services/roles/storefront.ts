/** The pages of the server: the offer, if this process sells, and the state of the process. */
import { isEvm, mainNetworks, type NetworkName, networks } from '../../schemas/tables/networks.ts'
import { type Config, sold } from '../config/config.ts'
import { behindOf } from '../pages/behind.ts'
import { figuresOf } from '../pages/figures.ts'
import { lineagePages } from '../pages/lineage.ts'
import { marketCsv, marketPage } from '../pages/market.ts'
import { sellerPage } from '../pages/market-seller.ts'
import { statusPages } from '../pages/status.ts'
import type { Play, WalletNetwork } from '../query/catalog/offered.ts'
import { catalogPages } from '../query/catalog/pages.ts'
import { priceList, serviceInfo } from '../query/catalog/texts.ts'
import type { Selling } from '../query/mcp/call.ts'
import { mcpPath } from '../query/mcp/endpoint.ts'
import type { ServerOptions } from '../query/server.ts'
import { withReceipts } from '../query/signing/routes.ts'
import { type HealthParts, healthOf, healthPages } from './health.ts'

export function storefront(
  config: Config,
  parts: HealthParts,
  counter: Selling | undefined,
  play: Play | undefined,
): Pick<ServerOptions, 'origins' | 'pages' | 'mcp' | 'contact'> {
  if (!counter) return { origins: [], pages: healthPages(parts), mcp: undefined }
  const told = {
    contact: config.CONTACT,
    paidOn: paidOn(config),
    mppCurrencies: counter.challenges && config.NETWORKS.filter(isEvm).map(name => networks[name].asset),
    requestsAMinute: config.RATE_LIMIT,
    mcpUrl: `${config.MCP_URL}${mcpPath}`,
    play,
    wallets: play ? undefined : config.NETWORKS.map(walletNetwork),
    figures: figuresOf(parts),
    behind: behindOf(parts),
  }
  const others = [
    marketPage(counter.tools, config.CONTACT),
    marketCsv(counter.tools),
    sellerPage(counter.tools, config.CONTACT, play ? [] : mainNetworks),
    // No explorer knows the chains of a sandbox.
    ...statusPages(parts, config.CONTACT, play ? [] : config.NETWORKS),
    ...lineagePages(config.CONTACT),
  ]
  return {
    contact: config.CONTACT,
    origins: withReceipts(sold(config), counter.signer, counter.corrected, counter.statements),
    pages: [...healthPages(parts), ...catalogPages(told, others)],
    mcp: {
      selling: counter,
      catalog: origins => priceList(origins, told),
      info: async origins => ({ ...serviceInfo(origins, told), health: await inShort(parts, origins) }),
      url: told.mcpUrl,
    },
  }
}

/** How the service fares, without the prices and promises that stand beside it. */
async function inShort(parts: HealthParts, origins: Parameters<typeof healthOf>[1]) {
  const { status, ready, live, version, till, store, sources, bundled_samples_not_live } = await healthOf(
    parts,
    origins,
  )
  const failing = Object.entries(sources).flatMap(([name, { outcome }]) => (outcome === 'failed' ? name : []))
  return {
    ...{ status, ready, live, version, till, store },
    sources: Object.keys(sources).length,
    failing_sources: failing,
    bundled_samples_not_live,
  }
}

const walletNetwork = (name: NetworkName): WalletNetwork => {
  const { caip2, title, asset, explorer } = networks[name]
  return { id: caip2, title, asset, explorer, ...(isEvm(name) && { domain: networks[name].domain }) }
}

const paidOn = ({ NETWORKS }: Config): string =>
  new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(NETWORKS.map(name => networks[name].title))
