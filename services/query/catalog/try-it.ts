/** The part of a page that asks an operation and pays: with play money, or with the caller's own wallet. And the scripts of it. */
import { readFileSync } from 'node:fs'
import { escaped } from '../face/text.ts'
import { drawerPath, drawingsPath } from './drawing-scripts.ts'
import { type CatalogOptions, fee, type Offered } from './offered.ts'
import { questionForm } from './question-form.ts'

const script = (path: string, file: string) => ({
  path,
  body: readFileSync(new URL(file, import.meta.url), 'utf8'),
})

export const tryItScript = script('/try-it.js', 'try-it-in-page.js')
/** What pays with a wallet is loaded only where somebody may. */
export const walletScripts = [
  script('/try-it-wallet.js', 'wallet-in-page.js'),
  script('/try-it-solana.js', 'solana-in-page.js'),
]

/** Where neither play money nor a wallet pays, only what is free can be asked. */
export const canTry = ({ price }: Offered, { play, wallets = [] }: CatalogOptions): boolean =>
  price === undefined || play !== undefined || wallets.length > 0

const control = (id: string, label: string, shown: string): string =>
  `<span><label for="try-${id}">${label}</label>${shown}</span>`
const select = (id: string, options: readonly (readonly [value: string, text: string])[]): string =>
  `<select id="try-${id}">${options.map(([value, text]) => `<option value="${escaped(value)}">${escaped(text)}</option>`).join('')}</select>`
const amount = (id: string, value: string): string =>
  `<input id="try-${id}" type="number" min="0" step="any" size="8" value="${value}">`

interface Ways {
  about: string
  controls: readonly string[]
  ask: string
  data: string
}

const free: Ways = { about: 'It is free.', controls: [], ask: 'Ask', data: '' }

function waysOf(offered: Offered, { play, wallets = [] }: CatalogOptions): Ways {
  if (offered.price === undefined) return free
  const networks = (play?.networks ?? wallets).map(({ id, title }) => [id, title] as const)
  const payOn = control('network', 'Pay on', select('network', networks))
  if (play)
    return {
      about: 'The sandbox pays with play money; quote, payment and receipt are made as real ones are.',
      controls: [payOn],
      ask: `Ask and pay ${fee(offered)}`,
      data: ` data-pay-at="${play.page.path}"`,
    }
  const most = Math.max(...[offered.price, ...Object.values(offered.prices ?? {})].map(Number))
  return {
    about:
      'Your own wallet pays. You hear the price first, and sign one payment of exactly that. An answer that fails is not charged. This page keeps nothing: no key, no address, no cookie.',
    controls: [
      payOn,
      control('wallet', 'Wallet', select('wallet', [['', 'none found in this browser']])),
      control('cap', 'At most, USDC', amount('cap', String(most))),
      control('cap-all', 'At most in all, USDC', amount('cap-all', String(most * 10))),
    ],
    ask: 'Hear the price',
    data: ` data-wallets="${escaped(JSON.stringify(wallets))}"`,
  }
}

export function tryIt(offered: Offered, options: CatalogOptions): string {
  const { method, path, example } = offered
  const question = JSON.stringify(example.request, null, 2)
  const rows = Math.min(12, question.split('\n').length)
  const { about, controls, ask, data } = waysOf(offered, options)
  const drawings = drawingsPath(offered.origin)
  const drawn = ` data-drawer="${drawerPath}"${drawings ? ` data-drawings="${escaped(drawings)}"` : ''} data-id="${escaped(offered.id)}"`
  return `<section class="box" id="try" data-method="${method}" data-path="${path}" data-url="${escaped(offered.origin.url)}"${data}${drawn}>
<h2>${data.includes('wallets') ? 'Ask, and pay with your wallet' : 'Try it'}</h2>
<p>${about}</p>
<div class="two">${questionForm(offered)}<div><label for="try-question">Question</label><textarea id="try-question" rows="${rows}" spellcheck="false">${escaped(question)}</textarea></div></div>
<p class="actions">${controls.join('')}<button class="main" id="try-button" type="button">${ask}</button></p>
<ol id="try-steps" aria-live="polite"></ol>
<noscript><p>Trying it needs JavaScript; the calls below do without.</p></noscript>
</section>`
}
