/** Reads one item of a catalog into a row. It trusts nothing, and keeps every item with an address. */
import type { MarketResource } from '../../../schemas/market-resources.ts'
import { isRouteTemplate, readAddress } from '../../../schemas/values/resource-address.ts'
import { countOf, listOf, momentOf, recordOf, textOf } from '../../domains/x402/json.ts'
import { readQuotes } from '../../domains/x402/quotes.ts'
import type { KnownTypes } from '../../rails/drift.ts'

export type CatalogItem = Omit<MarketResource, 'snapshot' | 'day' | 'source'>

const longestUrl = 4096
const longestText = 4000
const mostNames = 100

/**
 * All fields of an item, including those that we do not read. Sellers fill in most of them, so only these four are on
 * every page.
 */
export const knownFields: KnownTypes = {
  resource: 'string',
  type: 'string',
  accepts: 'array',
  lastUpdated: 'string',
  x402Version: 'number?',
  serviceName: 'string|null?',
  description: 'string|null?',
  tags: 'array|null?',
  curated: 'boolean?',
  extensions: 'object|null?',
  quality: 'object|null?',
  metadata: 'object|null?',
  iconUrl: 'string|null?',
}

/** Undefined if the item has no address, and so is not a resource. */
export function readItem(given: unknown): CatalogItem | undefined {
  const item = recordOf(given)
  const url = textOf(item.resource).slice(0, longestUrl)
  if (!url) return undefined
  const first = recordOf(listOf(item.accepts)[0])
  const bazaar = bazaarOf(item, first)
  const input = recordOf(recordOf(bazaar.info ?? bazaar).input)
  const template = textOf(bazaar.routeTemplate)
  const route_template = isRouteTemplate(template) ? template : null
  const address = readAddress(url, route_template ?? undefined)
  const type = kindOf(textOf(item.type) || textOf(input.type))
  const tool = type === 'mcp' ? textOf(input.tool ?? input.toolName ?? input.name).slice(0, 200) : ''
  const method = methodOf(input.method)
  const { accepts, price_usd, price_is_max, testnetOnly } = readQuotes(item.accepts)
  const quality = recordOf(item.quality ?? bazaar.quality)
  return {
    url,
    tool,
    method,
    resource_key: `${address?.path ?? url}${tool && `#${tool}`}${method && `|${method}`}`,
    host: address?.host ?? '',
    seller: address?.seller ?? '',
    type,
    x402_version: versionOf(item.x402Version),
    accepts,
    price_usd,
    price_is_max,
    service_name: wordsOf(item.serviceName),
    description: wordsOf(item.description) ?? wordsOf(first.description),
    tags: namesIn(listOf(item.tags)),
    parameters: namesIn(parameterNames(input)),
    route_template,
    placeholder: address?.placeholder ?? false,
    curated: item.curated === true,
    calls_30d: countOf(quality.l30DaysTotalCalls),
    payers_30d: countOf(quality.l30DaysUniquePayers),
    last_called_at: momentOf(quality.lastCalledAt),
    updated_at: momentOf(item.lastUpdated),
    junk: address
      ? (address.unreachable ?? (accepts.length ? (testnetOnly ? 'testnet_only' : null) : 'nothing_accepted'))
      : 'not_http',
  }
}

/** Version 2 has the description in an extension, version 1 in the schema of its first offer. Some items have both. */
function bazaarOf(item: Record<string, unknown>, first: Record<string, unknown>): Record<string, unknown> {
  const extension = recordOf(item.extensions).bazaar ?? recordOf(first.extensions).bazaar
  return recordOf(extension ?? first.outputSchema)
}

const kindOf = (type: string): MarketResource['type'] => (type === 'http' || type === 'mcp' ? type : 'other')
const versionOf = (version: unknown): number => (version === 1 || version === 2 ? version : 0)
const wordsOf = (value: unknown): string | null => textOf(value).slice(0, longestText) || null

function methodOf(value: unknown): string {
  const method = textOf(value).toUpperCase()
  return /^(GET|POST|PUT|PATCH|DELETE|HEAD)$/.test(method) ? method : ''
}

const namesIn = (values: readonly unknown[]): string[] =>
  [...new Set(values.map(value => textOf(value).slice(0, 200)))].filter(Boolean).slice(0, mostNames)

/** Sellers describe parameters by examples, by lists of fields or by JSON schemas. */
const parameterNames = (input: Record<string, unknown>): string[] =>
  [input.queryParams, input.query, input.pathParams, input.bodyFields, input.body, input.inputSchema].flatMap(
    given => {
      const fields = recordOf(given)
      const described = recordOf(fields.properties)
      return Object.keys(Object.keys(described).length ? described : fields)
    },
  )
