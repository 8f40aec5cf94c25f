/** One call, drawn: a question, its price, a payment, an answer with a receipt. The words are those of the operation's example. */
import { escaped } from '../face/text.ts'
import { fee, type Offered } from './offered.ts'

const short = (text: string, most: number): string =>
  escaped(text.length > most ? `${text.slice(0, most - 1)}…` : text)

const right = (y: number): string =>
  `<path class="arrow" d="M24 ${y}H444"/><path class="head" d="M456 ${y}l-14 -6v12z"/>`
const left = (y: number): string =>
  `<path class="arrow" d="M36 ${y}H456"/><path class="head" d="M24 ${y}l14 -6v12z"/>`

export function callDrawing(offered: Offered): string {
  const { path, method, example } = offered
  const price = fee(offered)
  const answer = Object.entries((example.response ?? {}) as object)
    .filter(([, value]) => typeof value !== 'object')
    .slice(-8)
    .filter(([name]) => !['source', 'notice'].includes(name))
    .map(([name, value]) => `"${name}": ${JSON.stringify(value)}`)
    .join(', ')
  return `<figure><svg class="call" role="img" aria-labelledby="call-title" viewBox="0 0 480 452"><title id="call-title">One call: the agent asks; Farebox says 402 and the price, ${escaped(price)}; the agent sends a signed payment with the same question; Farebox answers 200 with a receipt.</title>
<path class="lane" d="M12 44V440M468 44V440"/><text class="who" x="4" y="26">your agent</text><text class="who" x="476" y="26" text-anchor="end">Farebox</text>
<g class="step"><text x="32" y="66"><tspan class="code">${method} ${escaped(path)}</tspan></text><text class="code quiet" x="32" y="86">${short(JSON.stringify(example.request), 54)}</text>${right(100)}</g>
<g class="step two-nd"><text x="32" y="136" class="code">402 Payment Required</text><text class="price" x="446" y="136" text-anchor="end">${escaped(price)}</text>${left(150)}</g>
<g class="step three-rd"><text x="32" y="186" class="code">the same question + PAYMENT-SIGNATURE</text><text class="quiet" x="32" y="206">signed by your wallet; nothing has moved yet</text>${right(222)}<circle class="coin" cx="400" cy="222" r="9"/></g>
<g class="step four-th"><text x="32" y="258" class="code">200 OK</text>${left(272)}<path class="ticket" d="M32 288H448V436${'l-8 -6 -8 6'.repeat(26)}z"/><text class="code" x="48" y="314">${short(answer, 52)}</text><text class="code quiet" x="48" y="344">"receipt": {</text><text class="code" x="62" y="364">"price_usdc": ${escaped(String(offered.price ?? 0))}, "charged": true,</text><text class="code" x="62" y="384">"tool": "${escaped(offered.id)}",</text><text class="code" x="62" y="404">"payment_tx": "0x05378689b9a4…" }</text></g>
</svg></figure>`
}
