/** A page of all parts that pages are made of, to be looked at: light and dark, wide and narrow. */
import type { Drawing } from '../offer/drawing.ts'
import type { ServedPage } from '../offer/origin.ts'
import { drawn } from '../query/face/drawn.ts'
import { fieldTree } from '../query/face/field-tree.ts'
import { layout, pageHeaders } from '../query/face/layout.ts'
import { readable } from '../query/face/readable.ts'
import { table } from '../query/face/table.ts'
import { code } from '../query/face/text.ts'

const marks = [3, 5, 4, -2, 6].map((value, day) => ({ at: `2026-11-0${day + 1}`, value }))
const drawings: readonly Drawing[] = [
  ...(['line', 'bars', 'ranked'] as const).map(kind => ({
    kind,
    title: `What is drawn as ${kind}`,
    when: 'day',
    what: 'value',
    unit: 'USD',
    marks,
  })),
  {
    kind: 'curve',
    title: 'A curve',
    across: 'amount',
    what: 'impact',
    unit: '%',
    curve: [0, 1, 2, 3, 4].map(x => ({ x, y: x ** 2 })),
    known: [{ name: 'as asked', x: 3, y: 9 }],
  },
  {
    kind: 'spans',
    title: 'Spans',
    who: 'who',
    what: 'why',
    spans: [
      { name: 'one', from: '2026-11-20T06:00Z', to: '2026-11-20T14:30Z', words: 'wind', tone: 'bad' },
      { name: 'another', from: '2026-11-20T12:00Z', to: '2026-11-21T02:00Z', words: 'snow' },
    ],
  },
  {
    kind: 'steps',
    title: 'Steps',
    steps: [
      { name: 'a leaf', value: 'c3c3c3c3' },
      { name: 'the root', value: 'd4d4d4d4', beside: 'e5e5e5e5' },
    ],
  },
  { kind: 'picture', title: 'A page', type: 'image/jpeg', base64: '', width: 1280, height: 800 },
]

const parts: readonly (readonly [name: string, shown: string])[] = [
  [
    'Text',
    `<h1>The largest title of a page</h1><p class="lead">The lead below it.</p><p>A paragraph with a <a href="/">link</a>, <code>code</code>, <strong>weight</strong>, <small>small print</small> and <span class="quiet">quiet words</span>.</p><p><span class="good">good</span> <span class="warn">odd</span> <span class="bad">bad</span> <span class="tag">a tag</span></p>`,
  ],
  [
    'Buttons',
    '<p class="actions"><button class="main" type="button">The main one</button><button type="button">Another</button><button type="button" disabled>Not now</button><a class="button" href="/">A link like one</a></p>',
  ],
  [
    'Controls',
    '<div class="control"><label for="part-text">A text <small>optional</small></label><input id="part-text" value="as it is typed"><small>What it means</small></div><div class="control"><label for="part-choice">A choice</label><select id="part-choice"><option>one</option><option>two</option></select></div><div class="control"><label for="part-day">A day</label><input id="part-day" type="date" value="2026-11-20"></div>',
  ],
  [
    'A table, which becomes a list where it has no room',
    table({
      columns: ['source', 'state', { title: 'how old', isNumber: true }],
      rows: [
        ['ecb', '<span class="good">good</span>', '12 min'],
        ['faa', '<span class="bad">failed</span>', '9 min'],
      ],
      caption: 'Two sources',
    }),
  ],
  ['Charts', drawings.map(drawn).join('')],
  [
    'Figures',
    '<dl class="figures"><div><dt>calls sold today</dt><dd>1,234</dd></div><div><dt>sources fresh now</dt><dd>7 of 7</dd></div></dl>',
  ],
  [
    'Cards',
    '<div class="grid"><section class="card"><h3>One</h3><p>Its words.</p></section><section class="card"><h3>Two</h3><p>Its words.</p></section></div>',
  ],
  [
    'Fields',
    fieldTree({
      type: 'object',
      required: ['rate'],
      properties: {
        rate: { type: 'number', description: 'Units of `to` for one of `from`' },
        days: {
          type: 'array',
          description: 'A row for each day',
          items: { type: 'object', properties: { day: { type: 'string', description: 'The day' } } },
        },
      },
    }),
  ],
  [
    'An answer',
    `<div class="card">${readable({ from: 'USD', rate: 159.8, past: null, days: [{ day: '2026-11-20', rate: 1 }] })}</div>`,
  ],
  ['Code', code("curl -i -X POST http://127.0.0.1:8402/fx \\\n  -d '{}'")],
  [
    'What opens',
    '<details><summary>Closed</summary><p>Inside.</p></details><details open><summary>Open</summary><p>Inside.</p></details>',
  ],
  [
    'A log',
    '<ol class="log"><li><h3><span class="warn">over</span> ecb was late for 2 h</h3><p>What is known of it.</p></li></ol>',
  ],
]

export const partsPage: ServedPage = {
  path: '/sandbox/parts',
  isForPeople: true,
  answer: () => ({
    type: 'text/html; charset=utf-8',
    headers: pageHeaders,
    body: layout({
      title: 'Parts · Farebox',
      about: 'All parts that the pages are made of.',
      contact: 'sandbox@farebox.example',
      body: `<p class="crumbs">Sandbox</p>${parts.map(([name, shown]) => `<h2>${name}</h2>\n${shown}`).join('\n')}`,
    }),
  }),
}
