import { describe, expect, it } from 'vitest'
import { blocksOf } from '../../../../pipelines/domains/document/page/blocks.ts'
import { deepest, parseDocument } from '../../../../pipelines/domains/document/page/document.ts'
import type { DomDocument, DomElement } from '../../../../pipelines/domains/document/page/dom.ts'

function depthOf(document: DomDocument): number {
  let depth = 0
  for (let node: DomElement | null = document.body; node; node = node.firstElementChild) depth += 1
  return depth
}
const textOf = (html: string) =>
  blocksOf(parseDocument(html).body)
    .map(({ text }) => text)
    .join('|')

describe('a document', () => {
  it.each([
    ['whole', '<!doctype html><html><head><title>T</title></head><body><p>One</p></body></html>'],
    ['without a doctype', '<html><head><title>T</title></head><body><p>One</p></body></html>'],
    ['with its optional tags left out', '<title>T</title><meta charset=utf-8><p>One'],
    ['with a head and no body', '<html><head><title>T</title></head><p>One</p></html>'],
    ['with a body and no head', '<html><title>T</title><body><p>One</p>'],
    [
      'behind a comment and a script',
      '<!-- <body> --><script>1</script><html><head><title>T</title></head><body><p>One</p>',
    ],
    ['that goes on after its end', '<html><head><title>T</title></head><body></body></html><p>One</p>'],
  ])('%s has a title and a body', (_what, html) => {
    const document = parseDocument(html)
    expect(document.title).toBe('T')
    expect(document.body.textContent?.trim()).toBe('One')
  })

  it.each(['div', 'span', 'b', 'blockquote', 'ul><li', 'table><tr><td', 'div><p', 'tr><p', 'svg><g'])(
    'with 20,000 nested <%s> is no deeper than others, and keeps its text',
    nest => {
      const document = parseDocument(`<body>${`<${nest}>`.repeat(20_000)}the bottom`)
      expect(depthOf(document)).toBeLessThan(deepest + 10)
      expect(document.body.textContent).toContain('the bottom')
    },
  )

  it('keeps links side by side apart, and a link within a word in it', () => {
    const menu = '<nav><a href="/">Home</a><a href="/about">About</a></nav><p>un<a href="/g">glue</a>d</p>'
    const blocks = blocksOf(parseDocument(menu).body, { url: 'https://a.example' })
    expect(blocks.map(({ text }) => text)).toEqual(['Home About', 'unglued'])
    expect(blocks[0]?.markdown).toBe('[Home](https://a.example/) [About](https://a.example/about)')
  })

  it('with many elements that are never closed is no deeper', () => {
    const document = parseDocument(`<body>${'<font><div>x'.repeat(5_000)}`)
    expect(depthOf(document)).toBeLessThan(deepest + 10)
  })

  it('of flat text stays as it is', () => {
    const many = '<p>One</p><br><img src=a.png>'.repeat(1_000)
    expect(parseDocument(`<body>${many}`).body.textContent).toBe('One'.repeat(1_000))
  })
})

describe('blocks', () => {
  it.each([
    ['paragraphs', '<p>One</p><p>Two</p>', 'One|Two'],
    ['text beside blocks', 'One<div>Two</div>Three', 'One|Two|Three'],
    ['breaks', '<p>One<br>Two</p>', 'One\nTwo'],
    ['inline elements', '<p>O<b>n</b>e <i>two</i></p>', 'One two'],
    ['white space', '<p>\n  One\t two&nbsp;three </p>', 'One two three'],
    ['code', '<pre>a\n  b</pre>', 'a\n  b'],
    ['rows', '<table><tr><td>A</td><td>B</td></tr><tr><td>C</td></tr></table>', 'A\tB|C'],
    ['rows with empty cells', '<table><tr><td></td><td>B</td><td> </td><td>D</td></tr></table>', '\tB\t\tD'],
    ['no rows without a text', '<table><tr><td></td><td></td></tr></table><p>One</p>', 'One'],
    ['cells of two lines', '<table><tr><td>A<br>B</td><td>C</td></tr></table>', 'A\nB\tC'],
    ['what no reader sees', '<p>One</p><script>x</script><style>y</style><template>z</template>', 'One'],
  ])('are made of %s', (_what, html, text) => {
    expect(textOf(`<body>${html}</body>`)).toBe(text)
  })

  const markdownOf = (html: string) =>
    blocksOf(parseDocument(`<body>${html}</body>`).body, { url: 'https://a.example/b/c' })
      .map(({ markdown }) => markdown)
      .join('\n')

  it.each([
    ['headings', '<h2>One <em>two</em></h2>', '## One _two_'],
    [
      'links',
      '<p>See <a href="../d?e=(f)">this page</a>.</p>',
      'See [this page](https://a.example/d?e=%28f%29).',
    ],
    ['no links that run a script', '<p><a href="javascript:alert(1)">Click</a></p>', 'Click'],
    ['emphasis', '<p><strong> One </strong>two</p>', '**One** two'],
    ['lists', '<ul><li>One<ul><li>Two</li></ul></li></ul>', '- One\n  - Two'],
    ['numbered lists', '<ol start="3"><li>One</li><li>Two</li></ol>', '3. One\n4. Two'],
    ['code', '<pre><code>a *b*\n c</code></pre>', '```\na *b*\n c\n```'],
    [
      'the language of code',
      '<pre><code class="hljs language-python">a = 1</code></pre>',
      '```python\na = 1\n```',
    ],
    ['code with its own mark', '<p><code>a`b</code></p>', '``a`b``'],
    ['quotes', '<blockquote><p>One</p><ul><li>Two</li></ul></blockquote>', '> One\n> - Two'],
    [
      'empty cells',
      '<table><tr><th>A</th><th></th></tr><tr><td></td><td>1<br>2</td></tr></table>',
      '| A |  |\n|  | 1 2 |',
    ],
    ['marks of lines', '<p># One</p><p>2. Two</p><p>- Three</p>', '\\# One\n2\\. Two\n\\- Three'],
    [
      'pictures',
      '<p><img src="/x.png" alt="A tide"></p><p>Two</p>',
      '![A tide](https://a.example/x.png)\nTwo',
    ],
    ['marks of its text', '<p>a*b_c [d] &lt;e&gt;</p>', 'a\\*b\\_c \\[d\\] \\<e\\>'],
  ])('as markdown have %s', (_what, html, markdown) => {
    expect(markdownOf(html)).toBe(markdown)
  })
})
