/** The facilitators that an operator names: each with the networks that it serves, and with the secrets that are its own. */
import { ConfigError } from '../../../pipelines/rails/environment/variables.ts'
import {
  facilitatorVariableOf,
  facilitatorVariables,
  type NetworkName,
} from '../../../schemas/tables/networks.ts'
import { mostFacilitators, self, tokenVariables } from '../variables.ts'
import type { CdpKey } from './cdp-key.ts'

export interface FacilitatorAddress {
  /** Or `self`, until the address of our own is known. */
  url: string
  token?: string | undefined
  cdpKey?: CdpKey | undefined
  /** Its place in the order of each network that it serves. If absent, it serves all, in the order of the list. */
  places?: Readonly<Partial<Record<NetworkName, number>>>
}

type Named = {
  [Name in 'FACILITATOR_URL' | (typeof facilitatorVariables)[number]]?: readonly string[] | undefined
}
type Secrets = {
  [Name in 'FACILITATOR_TOKEN' | (typeof tokenVariables)[number] | 'CDP_API_KEY_ID' | 'CDP_API_KEY_SECRET']?:
    | string
    | undefined
}

/** A key of CDP signs for this host. Any other host gets nothing made with it. */
const cdpHost = 'api.cdp.coinbase.com'

/** The list of a network's own variable overrules the common one. An address is counted once, where it stands first. */
export function addressesOf(values: Named & Secrets, sold: readonly NetworkName[]): FacilitatorAddress[] {
  const own = facilitatorVariables.flatMap(name => values[name] ?? [])
  const urls = [...new Set([...(values.FACILITATOR_URL ?? []), ...own])]
  if (urls.length > mostFacilitators)
    throw new ConfigError(
      `FACILITATOR_URL and its variables for networks name ${urls.length} addresses; they should name ${mostFacilitators} at most`,
    )
  const unused = tokenVariables.slice(Math.max(0, urls.length - 1)).find(name => values[name] !== undefined)
  if (unused) throw new ConfigError(`${unused} is set; it should be unset, because there is no such address`)
  const orders = sold.map(name => [name, orderOf(values, name)] as const)
  return urls
    .map((url, i) => {
      const places = orders.flatMap(([name, order]) =>
        order.includes(url) ? [[name, order.indexOf(url)]] : [],
      )
      return { url, ...secretsOf(values, url, i), places: Object.fromEntries(places) }
    })
    .filter(({ places }) => Object.keys(places).length > 0)
}

/** Does nobody but this process settle on a network? */
export const isAlone = (values: Named, network: NetworkName): boolean =>
  orderOf(values, network).every(url => url === self)

export const namesSelf = (values: Named): boolean =>
  [values.FACILITATOR_URL, ...facilitatorVariables.map(name => values[name])].some(list =>
    list?.includes(self),
  )

function orderOf(values: Named, network: NetworkName): readonly string[] {
  const variable = facilitatorVariableOf(network)
  const order = values[variable] ?? values.FACILITATOR_URL
  if (order) return order
  throw new ConfigError(
    `FACILITATOR_URL is unset; it should be the address of an x402 facilitator (or set ${variable})`,
  )
}

function secretsOf(values: Secrets, url: string, i: number) {
  const { CDP_API_KEY_ID: id, CDP_API_KEY_SECRET: secret } = values
  const variable = i === 0 ? 'FACILITATOR_TOKEN' : (tokenVariables[i - 1] as (typeof tokenVariables)[number])
  const isCdp = url !== self && new URL(url).hostname === cdpHost
  return { token: values[variable], cdpKey: isCdp && id && secret ? { id, secret } : undefined }
}
