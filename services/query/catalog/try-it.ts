/** The part of a page that calls an operation and pays with play money, and the address of its script. */
import { readFileSync } from 'node:fs'
import { escaped } from '../face/text.ts'
import { fee, type Offered, type Play } from './offered.ts'
import { questionForm } from './question-form.ts'

export const tryItScript = {
  path: '/try-it.js',
  body: readFileSync(new URL('try-it-in-page.js', import.meta.url), 'utf8'),
}

export function tryIt(offered: Offered, { page, networks }: Play): string {
  const { method, path, price, example } = offered
  const question = JSON.stringify(example.request, null, 2)
  const rows = Math.min(12, question.split('\n').length)
  const options = networks.map(({ id, title }) => `<option value="${id}">${escaped(title)}</option>`).join('')
  const [about, payOn, ask] =
    price === undefined
      ? ['It is free.', '', 'Ask']
      : [
          'The sandbox pays with play money; quote, payment and receipt are made as real ones are.',
          `<span><label for="try-network">Pay on</label><select id="try-network">${options}</select></span>`,
          `Ask and pay ${fee(offered)}`,
        ]
  return `<section class="box" id="try" data-method="${method}" data-path="${path}" data-pay-at="${page.path}">
<h2>Try it</h2>
<p>${about}</p>
<div class="two">${questionForm(offered)}<div><label for="try-question">Question</label><textarea id="try-question" rows="${rows}" spellcheck="false">${escaped(question)}</textarea></div></div>
<p class="actions">${payOn}<button class="main" id="try-button" type="button">${ask}</button></p>
<ol id="try-steps" aria-live="polite"></ol>
<noscript><p>Trying it needs JavaScript; the calls below do without.</p></noscript>
</section>`
}
