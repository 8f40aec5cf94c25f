/** The catalog as text, derived from the origins: at GET / for programs, and in the README. */
import type { OpenOrigin, Origin } from '../../offer/origin.ts'
import { type CatalogOptions, limitsOf, offeredBy, titlesOf, urlOf } from './offered.ts'

const aboutAll = (origins: readonly OpenOrigin[]): string =>
  `${titlesOf(origins)}: ask, pay in USDC over x402, get the answer and a receipt.`

export function priceList(origins: readonly OpenOrigin[], options: CatalogOptions) {
  const all = offeredBy(origins).map(({ price, prices, ...offered }) => ({
    operation: offered.id,
    origin: offered.origin.name,
    method: offered.method,
    url: offered.origin.url + offered.path,
    ...(price === undefined ? {} : { price_usdc: price }),
    ...(prices && { price_usdc_by_network: prices }),
    title: offered.title,
    about: offered.about,
    example: offered.example.request,
  }))
  return {
    name: 'Farebox',
    about: aboutAll(origins),
    operations: all.filter(({ price_usdc }) => price_usdc !== undefined),
    free: all.filter(({ price_usdc }) => price_usdc === undefined),
    limits: limitsOf(options),
    openapi: `${urlOf(origins)}/openapi.json`,
    guide: `${urlOf(origins)}/llms.txt`,
    health: `${urlOf(origins)}/health`,
  }
}

/** The facts that an agent asks for before it trusts a service with money. What is sold stands in the price list. */
export const serviceInfo = (origins: readonly OpenOrigin[], options: CatalogOptions) => ({
  name: 'Farebox',
  about: aboutAll(origins),
  mcp: options.mcpUrl,
  openapi: `${urlOf(origins)}/openapi.json`,
  guide: `${urlOf(origins)}/llms.txt`,
  contact: options.contact,
  how_to_pay: `x402 v2, scheme exact, USDC on ${options.paidOn}. Call without payment to get the requirements, sign one entry of accepts, and call again with it.`,
  promises: [
    'A call that fails is never charged.',
    'An answer that was paid for and lost is given again to the same payment and a proof that it is yours: for ten minutes after it has left us, for seven days if it has not.',
    'The same Idempotency-Key (over MCP the argument idempotency_key) and question get the paid answer again for 10 minutes, free.',
    'Stale data is not sold as fresh.',
  ],
})

/** What is sold, for the view `operations` of analysts: schemas cannot read what stands above them. */
export const operationsText = (origins: readonly Pick<Origin, 'name' | 'operations'>[]): string => {
  const rows = origins.flatMap(origin =>
    origin.operations.map(({ id, path, title, price }) => ({
      ...{ operation: id, origin: origin.name, path, title, price },
    })),
  )
  return `${JSON.stringify(rows, undefined, 2)}\n`
}

export const operationsTable = (origins: readonly Origin[]): string =>
  origins
    .map(origin =>
      [
        `**${origin.title}** (at \`${origin.address}\`)`,
        '',
        '| path | what it answers | price (USDC) | free refusals |',
        '|---|---|---|---|',
        ...offeredBy([{ ...origin, url: '' }]).map(
          ({ method, path, title, price = 'free', refusals }) =>
            `| \`${method} ${path}\` | ${title} | ${price} | ${Object.keys(refusals)
              .map(code => `\`${code}\``)
              .join(', ')} |`,
        ),
      ].join('\n'),
    )
    .join('\n\n')
