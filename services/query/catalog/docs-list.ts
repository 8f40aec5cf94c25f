/** All operations and free routes on one page: what each answers, its price, its refusals. */
import { errors } from '../../offer/errors.ts'
import type { OpenOrigin } from '../../offer/origin.ts'
import { layout } from '../face/layout.ts'
import { table } from '../face/table.ts'
import { docsPath, escaped, refusalId } from '../face/text.ts'
import { type CatalogOptions, fee, generalPicture, type Offered, offeredBy } from './offered.ts'

export const docsList = (origins: readonly OpenOrigin[], { contact }: CatalogOptions): string =>
  layout({
    title: 'Operations · Farebox',
    about: 'Every question that can be asked here, with its price.',
    path: '/docs',
    contact,
    picture: generalPicture(origins),
    body: `<h1>Operations</h1>
<p class="lead">Every question that can be asked here, with its price. A refusal is free.</p>
<nav class="row" aria-label="Origins">${origins.map(({ name }) => `<a href="#${name}">${escaped(name)}</a>`).join('')}<a href="#any">any call</a></nav>
${origins.map(listOf).join('\n')}
<h2 id="any">What any call may answer</h2>
<p class="quiet">The codes of failures that no operation declares, each told with a sentence. A failure itself costs nothing. Whether its payment was taken stands in <code>charged</code>: true where it was taken before, null where nobody knows. Then send the same payment again, and sign no other.</p>
${table({ columns: ['code', 'status', 'when'], caption: 'Codes of any call', rows: Object.entries(errors).map(errorRow) })}`,
  })

const listOf = (origin: OpenOrigin): string =>
  `<h2 id="${origin.name}">${escaped(origin.title)}</h2><p class="quiet">At <code>${escaped(origin.url)}</code></p>${table(
    {
      columns: ['operation', 'address', 'price', 'free refusals'],
      caption: origin.title,
      rows: offeredBy([origin]).map(rowOf),
    },
  )}`

const errorRow = ([name, [status, about]]: [string, readonly [number, string]]): string[] => [
  `<code id="${refusalId(name)}">${escaped(name)}</code>`,
  String(status),
  escaped(about),
]

const rowOf = (offered: Offered): string[] => [
  `<a href="${docsPath(offered.path)}">${escaped(offered.title)}</a>`,
  `<code>${offered.method} ${escaped(offered.path)}</code>`,
  `<span class="mono kept">${fee(offered)}</span>`,
  `<small>${Object.keys(offered.refusals).map(escaped).join(', ')}</small>`,
]
