/**
 * The catalog for agents. /llms.txt is short: how to pay, and of each operation its title and a question. The page of an origin adds
 * what there is to know, with an answer; /llms-full.txt has all.
 */
import type { OpenOrigin } from '../../offer/origin.ts'
import { toolName } from '../mcp/tools.ts'
import {
  addressOf,
  type CatalogOptions,
  fee,
  limitsOf,
  mppOf,
  type Offered,
  offeredBy,
  sentence,
  titlesOf,
  urlOf,
} from './offered.ts'

type Origins = readonly OpenOrigin[]

export const llmsPath = ({ name }: OpenOrigin): string => `/llms/${name}.txt`

export const llms = (origins: Origins, options: CatalogOptions): string =>
  textOf(origins, options, offered => `${sentence(offered.title)}\n\n${asked(offered)}\n`)

export const llmsFull = (origins: Origins, options: CatalogOptions): string =>
  textOf(origins, options, offered => {
    const { title, about, example } = offered
    const answer = example.response === undefined ? '' : `\nAnswer: \`${JSON.stringify(example.response)}\`\n`
    return `${sentence(title)} ${about}\n\n${named(offered)}\n\n${asked(offered)}\n${answer}`
  })

const textOf = (
  origins: Origins,
  options: CatalogOptions,
  told: (offered: Offered) => string,
): string => `# Farebox

> ${titlesOf(origins)}. No account, no key: pay each call in USDC (${options.paidOn}) through x402 v2. A call that fails is never charged.

## How to pay

1. POST the question as JSON. Without payment the answer is 402. The header PAYMENT-REQUIRED (base64 JSON) is the quote; the body repeats it.
2. Sign one entry of \`accepts\` with an x402 client and repeat the same request with PAYMENT-SIGNATURE.
3. 200 is the answer with a \`receipt\`; the header PAYMENT-RESPONSE is the settlement. Any other status is \`{error, message, charged}\`: with \`charged: false\` it is free; \`true\` means that the payment was charged once, before; \`null\` that nobody can tell yet: repeat the same payment.
4. Send an \`Idempotency-Key\` (8 to 128 visible ASCII characters). For 10 minutes the same key, path and body get the paid answer again, free.
5. If an answer is lost, repeat the same request with the same payment: from the same address within two minutes, or with its Idempotency-Key, you get it again, free.
6. Else the answer is 409 \`payment_already_used\` (\`charged: true\`: charged once, before). Sign \`extensions["sign-in-with-x"].info\` with the wallet that paid (EIP-4361, or CAIP-122 of Solana), and send \`{...info, chainId, type, address, signature}\` as base64 JSON in SIGN-IN-WITH-X beside the same request (over MCP, the same text in \`_meta["x402/sign-in-with-x"]\`). You get the answer until \`kept_until\`: ten minutes after it has left us, for its connection may have died later; seven days if it has not left. A 409 without \`extensions\` says that it is kept no longer.
7. An answer whose payment had settled before the call came, also one that never arrived, has the receipt of the sale with \`replayed: true\` and \`charged_now: false\`, and the header \`Idempotent-Replayed: true\`.
8. For less of an answer, name its fields: \`POST /weather?fields=alerts\`. \`receipt\` always comes, and the price is the same.${mppStep(options)}

## Limits

${limitsOf(options)}

## Operations

${origins.map(origin => `- [${origin.title}](${origin.url}${llmsPath(origin)}): each operation at length, with an answer`).join('\n')}
- [All of them](${urlOf(origins)}/llms-full.txt)

${offeredBy(origins)
  .map(offered => `### ${offered.method} ${offered.path} (${fee(offered)})\n\n${told(offered)}`)
  .join('\n')}
## More

- [OpenAPI](${urlOf(origins)}/openapi.json)
- [MCP](${options.mcpUrl}): streamable HTTP, one tool for each operation, some free calls a day without a wallet
- [Health](${urlOf(origins)}/health)
- Contact: ${options.contact}
`

const mppStep = (options: CatalogOptions): string => {
  const told = mppOf(options)
  return told && `\n9. ${told}`
}

const asked = (offered: Offered): string => {
  const body = offered.method === 'GET' ? '' : ` \`${JSON.stringify(offered.example.request)}\``
  return `Request: ${offered.method} ${addressOf(offered)}${body}`
}

/** One operation has a name for each place. */
function named({ id, path, tool, price }: Offered): string {
  const [places, overMcp] =
    price === undefined ? ['OpenAPI', tool] : ['OpenAPI and receipts', toolName({ path, tool })]
  return `Names: \`${id}\` in ${places}${overMcp === undefined ? '' : `, \`${overMcp}\` over MCP`}`
}
