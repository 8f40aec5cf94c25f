/** The catalog as text: for people at GET /, for agents at /llms.txt, for the README. All from the operations. */
import type { Operation } from '../../operation.ts'
import type { ApiInfo } from './openapi.ts'

export const priceList = (operations: readonly Operation[], { publicUrl }: ApiInfo) => ({
  name: 'Farebox',
  about: 'Public data sold by the call: ask, pay in USDC over x402, get the answer and a receipt.',
  operations: operations.map(({ id, path, title, about, price, example }) => ({
    operation: id,
    method: 'POST',
    url: `${publicUrl}${path}`,
    price_usdc: price,
    title,
    about,
    example: example.request,
  })),
  openapi: `${publicUrl}/openapi.json`,
  guide: `${publicUrl}/llms.txt`,
  health: `${publicUrl}/health`,
})

export const operationsTable = (operations: readonly Operation[]): string =>
  [
    '| path | what it answers | price (USDC) | free refusals |',
    '|---|---|---|---|',
    ...operations.map(
      ({ path, title, price, refusals }) =>
        `| \`POST ${path}\` | ${title} | ${price} | ${Object.keys(refusals)
          .map(code => `\`${code}\``)
          .join(', ')} |`,
    ),
  ].join('\n')

export const llms = (operations: readonly Operation[], { publicUrl, contact }: ApiInfo): string => `# Farebox

> Public data sold by the call. No account, no key: pay each call in USDC (Base or Solana) through x402 v2. A call that fails is never charged.

## How to pay

1. POST the question as JSON. Without payment the answer is 402; the header PAYMENT-REQUIRED (base64 JSON) is the quote, mirrored in the body.
2. Sign one entry of \`accepts\` with an x402 client and repeat the same request with PAYMENT-SIGNATURE.
3. 200: the answer with a \`receipt\`; PAYMENT-RESPONSE is the settlement. Anything else: \`{error, message, charged: false}\`.
4. Send \`Idempotency-Key\` (8 to 128 visible ASCII characters): the same key, path and body get the paid answer again for 10 minutes, free.
5. Was the connection lost? Present the same payment again: an answer that did not reach you is given again.

## Operations

${operations
  .map(
    ({ path, title, about, price, example }) => `### POST ${path} (${price} USDC)

${title}. ${about}

Request: \`${JSON.stringify(example.request)}\`

Answer: \`${JSON.stringify(example.response)}\`
`,
  )
  .join('\n')}
## More

- [OpenAPI](${publicUrl}/openapi.json)
- [Health](${publicUrl}/health)
- Contact: ${contact}
`

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string): string => text.replace(/[&<>"]/g, character => escapes[character] as string)

export const page = (operations: readonly Operation[], info: ApiInfo): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Farebox: public data sold by the call</title>
<meta name="description" content="Ask, pay in USDC over x402, get the answer and a receipt. No account, no key.">
<link rel="icon" href="/favicon.ico" type="image/svg+xml">
<style>
  :root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 18%, transparent) }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 3rem auto; padding: 0 1rem }
  h1 { font-size: 1.6rem; margin: 0 } h1 + p { margin-top: .2rem }
  article { border-top: 1px solid var(--line); padding: 1rem 0 }
  h2 { font-size: 1.05rem; margin: 0; display: flex; justify-content: space-between; gap: 1rem }
  code, pre { font: .875rem/1.45 ui-monospace, monospace } pre { overflow-x: auto; padding: .75rem; border: 1px solid var(--line); border-radius: 6px }
  small { opacity: .75 }
</style>
<h1>Farebox</h1>
<p>Public data sold by the call. No account, no key: each call is paid in USDC on Base or Solana through <a href="https://www.x402.org">x402</a>. A call that fails is never charged.</p>
${operations
  .map(
    ({ path, title, about, price, example, refusals }) => `<article>
<h2><span>${escaped(title)}</span> <span>${price} USDC</span></h2>
<p>${escaped(about)}</p>
<pre>curl -i -X POST ${escaped(info.publicUrl + path)} \\
  -H 'content-type: application/json' -d '${escaped(JSON.stringify(example.request))}'</pre>
<p><small>Refused free: ${Object.entries(refusals)
      .map(([code, { about: why }]) => `<code>${code}</code> (${escaped(why)})`)
      .join(', ')}</small></p>
</article>`,
  )
  .join('\n')}
<p><a href="/openapi.json">OpenAPI</a> · <a href="/llms.txt">llms.txt</a> · <a href="/health">health</a> · <a href="${info.contact.includes('@') ? 'mailto:' : ''}${escaped(info.contact)}">contact</a></p>
<p><small><a href="https://db-ip.com">IP Geolocation by DB-IP</a></small></p>
</html>
`

/** A coin slot. */
export const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b5"/><rect x="14" y="7" width="4" height="18" rx="2" fill="#fff"/></svg>'
