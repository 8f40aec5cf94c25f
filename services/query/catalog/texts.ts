/** The catalog as text, derived from the origins: at GET / for programs, at /llms.txt for agents, and in the README. */
import type { OpenOrigin, Origin } from '../../offer/origin.ts'
import {
  addressOf,
  type CatalogOptions,
  fee,
  limitsOf,
  type Offered,
  offeredBy,
  titlesOf,
  urlOf,
} from './offered.ts'

export function priceList(origins: readonly OpenOrigin[], options: CatalogOptions) {
  const all = offeredBy(origins).map(({ price, ...offered }) => ({
    operation: offered.id,
    origin: offered.origin.name,
    method: offered.method,
    url: offered.origin.url + offered.path,
    ...(price === undefined ? {} : { price_usdc: price }),
    title: offered.title,
    about: offered.about,
    example: offered.example.request,
  }))
  return {
    name: 'Farebox',
    about: `${titlesOf(origins)}: ask, pay in USDC over x402, get the answer and a receipt.`,
    operations: all.filter(({ price_usdc }) => price_usdc !== undefined),
    free: all.filter(({ price_usdc }) => price_usdc === undefined),
    limits: limitsOf(options),
    openapi: `${urlOf(origins)}/openapi.json`,
    guide: `${urlOf(origins)}/llms.txt`,
    health: `${urlOf(origins)}/health`,
  }
}

/** The facts that an agent asks for before it trusts a service with money. */
export const serviceInfo = (origins: readonly OpenOrigin[], options: CatalogOptions) => ({
  ...priceList(origins, options),
  mcp: options.mcpUrl,
  contact: options.contact,
  how_to_pay: `x402 v2, scheme exact, USDC on ${options.paidOn}. Call without payment to get the requirements, sign one entry of accepts, and call again with it.`,
  promises: [
    'A call that fails is never charged.',
    'An answer that was paid for and lost is given again to the same payment and a proof that it is yours: for ten minutes after it has left us, for seven days if it has not.',
    'The same Idempotency-Key, path and body get the paid answer again for 10 minutes, free.',
    'Stale data is not sold as fresh.',
  ],
})

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

export const llms = (origins: readonly OpenOrigin[], options: CatalogOptions): string => `# Farebox

> ${titlesOf(origins)}. No account, no key: pay each call in USDC (${options.paidOn}) through x402 v2. A call that fails is never charged.

## How to pay

1. POST the question as JSON. Without payment the answer is 402. The header PAYMENT-REQUIRED (base64 JSON) is the quote; the body repeats it.
2. Sign one entry of \`accepts\` with an x402 client and repeat the same request with PAYMENT-SIGNATURE.
3. 200 is the answer with a \`receipt\`; the header PAYMENT-RESPONSE is the settlement. Any other status is \`{error, message, charged}\`: with \`charged: false\` it is free; \`true\` means that the payment was charged once, before; \`null\` that nobody can tell yet: repeat the same payment.
4. Send an \`Idempotency-Key\` (8 to 128 visible ASCII characters). For 10 minutes the same key, path and body get the paid answer again, free.
5. If an answer is lost, repeat the same request with the same payment: from the same address within two minutes, or with its Idempotency-Key, you get it again, free.
6. Else the answer is 409 \`payment_already_used\` (\`charged: true\`: charged once, before). Sign \`extensions["sign-in-with-x"].info\` with the wallet that paid (EIP-4361, or CAIP-122 of Solana), and send \`{...info, chainId, type, address, signature}\` as base64 JSON in SIGN-IN-WITH-X beside the same request (over MCP, the same text in \`_meta["x402/sign-in-with-x"]\`). You get the answer until \`kept_until\`: ten minutes after it has left us, for its connection may have died later; seven days if it has not left. A 409 without \`extensions\` says that it is kept no longer.
7. An answer whose payment had settled before the call came, also one that never arrived, has the receipt of the sale with \`replayed: true\` and \`charged_now: false\`, and the header \`Idempotent-Replayed: true\`.

## Limits

${limitsOf(options)}

## Operations

${offeredBy(origins)
  .map(
    offered => `### ${offered.method} ${offered.path} (${fee(offered)})

${offered.title}. ${offered.about}

${asked(offered)}
${
  offered.example.response === undefined
    ? ''
    : `
Answer: \`${JSON.stringify(offered.example.response)}\`
`
}`,
  )
  .join('\n')}
## More

- [OpenAPI](${urlOf(origins)}/openapi.json)
- [MCP](${options.mcpUrl}): streamable HTTP, one tool for each operation, some free calls a day without a wallet
- [Health](${urlOf(origins)}/health)
- Contact: ${options.contact}
`

const asked = (offered: Offered): string => {
  const body = offered.method === 'GET' ? '' : ` \`${JSON.stringify(offered.example.request)}\``
  return `Request: ${offered.method} ${addressOf(offered)}${body}`
}
