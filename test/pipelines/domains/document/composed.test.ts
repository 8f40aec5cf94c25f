import { describe, expect, it } from 'vitest'
import { composed, framesIn } from '../../../../pipelines/domains/document/page/composed.ts'
import { mainOf } from '../../../../pipelines/domains/document/page/main.ts'
import { isThin } from '../../../../pipelines/rails/outside/pages/thin.ts'
import { visibleOf } from '../../../../pipelines/rails/outside/pages/visible.ts'

const visible = (html: string) => visibleOf(composed(html)).text.replace(/\n+/g, ' | ')
const shadow = (inside: string, light = '') =>
  `<x-a><template shadowrootmode="open">${inside}</template>${light}</x-a>`

describe('the text of a page with trees of their own', () => {
  it.each([
    ['a shadow tree', shadow('<p>inside</p>'), 'inside'],
    ['a closed one', shadow('<p>inside</p>').replace('open', 'closed'), 'inside'],
    ['its slot', shadow('<p>before</p><slot></slot><p>after</p>', '<p>light</p>'), 'before | light | after'],
    [
      'a named slot',
      shadow('<h2><slot name="t"></slot></h2><slot></slot>', '<p>text</p><b slot="t">Title</b>'),
      'Title | text',
    ],
    ['what a slot has where nothing fills it', shadow('<p>a <slot>usual</slot> b</p>', '\n'), 'a usual b'],
    ['nothing that no slot shows', shadow('<p>inside</p>', '<p>never seen</p>'), 'inside'],
    [
      'a tree in a tree',
      shadow(`<p>one</p>${shadow('<p>two</p><slot></slot>', '<slot></slot>')}`, '<i>three</i>'),
      'one | two | three',
    ],
    [
      'no template that waits for a script',
      `${shadow('<p>inside</p>')}<template><p>no</p></template>`,
      'inside',
    ],
    [
      'a document in an attribute',
      '<p>one</p><iframe srcdoc="<title>no</title><p>two &quot;2&quot; &lt;p&gt;three"></iframe>',
      'one | two "2" | three',
    ],
    ['signs as signs', shadow('<p>1 &lt; 2 &amp; 3</p>'), '1 < 2 & 3'],
  ])('has %s', (_what, html, text) => {
    expect(visible(html)).toBe(text)
    expect(mainOf(composed(`<body>${html}`)).text.replace(/\s+/g, ' ')).toBe(text.replaceAll(' | ', ' '))
  })

  it('is not thin for having it there', () => {
    const html = `<script></script>${shadow(`<p>${'word '.repeat(100)}</p>`)}`
    expect([isThin(html), isThin(composed(html))]).toEqual([true, false])
  })
})

describe('the frames of a page', () => {
  it('are told, if somebody sees them', () => {
    const html = [
      '<iframe src="/table?a=1&amp;b=2"></iframe><iframe src=https://b.example/></iframe><frame src="/left">',
      '<iframe width="0" height="0" src="/pixel"></iframe><iframe style="display:none" src="/no"></iframe>',
      '<iframe hidden src="/no"></iframe><iframe src="about:blank"></iframe><iframe srcdoc="a" src="/no"></iframe>',
    ].join('')
    expect(framesIn(html, 'https://a.example/page')).toEqual([
      'https://a.example/table?a=1&b=2',
      'https://b.example/',
      'https://a.example/left',
    ])
    expect(framesIn('<iframe src="/a">'.repeat(3), 'https://a.example/')).toHaveLength(1)
    const many = Array.from({ length: 90 }, (_, n) => `<iframe src="/${n}">`).join('')
    expect(framesIn(many, 'https://a.example/')).toHaveLength(20)
  })
})
