import { describe, expect, it } from 'vitest'
import { mainOf } from '../../../../pipelines/domains/document/page/main.ts'

const filler = Array.from(
  { length: 5 },
  (_, n) =>
    `<p>The gauge of basin number ${n} was read each morning, and its figures were kept in a book.</p>`,
).join('')
const read = (html: string) => mainOf(`<title>T</title><body><article>${filler}${html}${filler}`)
/** The output for a paragraph, in `main` and in rendered `markdown`. */
function written(html: string): string {
  const { text, markdown } = read(`<p>It was told: ${html} by all who have measured it in these years.</p>`)
  const line = (all: string) => /It was told: (.*) by all who/.exec(all)?.[1] ?? 'nothing'
  expect(line(markdown.replace(/\\([\\`*_[\]<>])/g, '$1')).replace(/\]\([^)]*\)/g, '')).toContain(
    line(text).slice(-2),
  )
  return line(text)
}

describe('a number in the text', () => {
  it.each([
    ['10<sup>6</sup>', '10^6'],
    ['3.2 × 10<sup>−19</sup> J', '3.2 × 10^−19 J'],
    ['2<sup>n</sup>', '2^n'],
    ['2<sup>10</sup>k', '2^10 k'],
    ['5 m<sup>2</sup>', '5 m^2'],
    ['40 km<sup>2</sup>', '40 km^2'],
    ['E = mc<sup>2</sup>', 'E = mc^2'],
    ['e<sup>x<sup>2</sup></sup>', 'e^(x^2)'],
    ['(a+b)<sup>2</sup>', '(a+b)^2'],
    ['Ca<sup>2+</sup>', 'Ca^2+'],
    ['<b>10</b><sup>9</sup>', '10^9'],
    ['10<span style="vertical-align: super; font-size: 70%">6</span>', '10^6'],
    ['x<i style="vertical-align:sub">1</i>', 'x_1'],
    ['<i>x</i><sup>3</sup>', 'x^3'],
    ['<style>.p{vertical-align:super}</style>10<span class="p">6</span>', '10^6'],
    ['<style>a .p{font-size:.7em;position:relative;top:-.4em}</style>10<span class="p">6</span>', '10^6'],
    ['10<span class="superscript">6</span>', '10^6'],
    ['10<b data-farebox-raised="sup">6</b>', '10^6'],
  ])('keeps its power: %s', (html, text) => expect(written(html)).toBe(text))

  it.each([
    ['in 1874<sup>1</sup>', 'in 1874[1]'],
    ['in 1874<sup>23</sup>', 'in 1874[23]'],
    ['the wall<sup>2</sup>', 'the wall[2]'],
    ['the wall.<sup>12</sup>', 'the wall.[12]'],
    ['the wall<sup>1,2</sup>', 'the wall[1,2]'],
    ['the wall<sup>*</sup>', 'the wall[*]'],
    ['45%<sup>3</sup>', '45%[3]'],
    ['12,000<sup>2</sup>', '12,000[2]'],
    ['10<sup><a href="#fn6">6</a></sup>', '10[6]'],
    ['10<a href="#n6"><sup>6</sup></a>', '10[6]'],
    ['10<sup class="footnote-ref">6</sup>', '10[6]'],
    ['10<sup class="reference"><a href="#c">[6]</a></sup>', '10[6]'],
    ['the wall (as some say)<sup>4</sup>', 'the wall (as some say)[4]'],
  ])('is not joined with the mark of a note: %s', (html, text) => expect(written(html)).toBe(text))

  it.each([
    ['$5<sup>99</sup>', '$5.99'],
    ['<sup>$</sup>5<sup>99</sup>', '$5.99'],
    ['$1,205<sup>00</sup>', '$1,205.00'],
    ['5<sup>99</sup> €', '5.99 €'],
    ['$5.99<sup>1</sup>', '$5.99[1]'],
    ['€5<sup>,49</sup>', '€5,49'],
    ['$<span>19</span><sup>95</sup>', '$19.95'],
  ])('keeps its cents: %s', (html, text) => expect(written(html)).toBe(text))

  it.each([
    ['the 1<sup>st</sup>', 'the 1st'],
    ['le 19<sup>e</sup>', 'le 19e'],
    ['M<sup>me</sup> A', 'Mme A'],
    ['Walls<sup>®</sup>', 'Walls®'],
    ['20<sup>o</sup>C', '20°C'],
    ['20<sup>0</sup> C', '20° C'],
    ['H<sub>2</sub>O', 'H2O'],
    ['Ca(OH)<sub>2</sub>', 'Ca(OH)2'],
    ['log<sub>2</sub>8', 'log_2 8'],
    ['x<sub>1</sub> and x<sub>12</sub>', 'x_1 and x_12'],
    ['101<sub>2</sub>', '101_2'],
    ['a<sub>n+1</sub>', 'a_(n+1)'],
  ])('has its rank, its index, its unit: %s', (html, text) => expect(written(html)).toBe(text))

  it.each([
    ['<sup>1</sup>/<sub>2</sub>', '1/2'],
    ['3<sup>1</sup>&frasl;<sub>2</sub>', '3 1/2'],
    ['<span class="frac"><span class="num">1</span>&frasl;<span class="den">2</span></span>', '1/2'],
    [
      '<span class="frac">3<span class="sr-only">+</span><span class="num">1</span>&frasl;<span class="den">2</span></span>',
      '3 1/2',
    ],
    [
      '<span class="sfrac"><span class="tion"><span class="num">1</span><span class="sr-only">/</span><span class="den">2</span></span></span>',
      '1/2',
    ],
    ['<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>', '1/2'],
    ['<math><mn>3</mn><mfrac><mn>1</mn><mn>2</mn></mfrac></math>', '3 1/2'],
    ['3<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>', '3 1/2'],
    ['<math><mfrac><mrow><mi>x</mi><mo>+</mo><mn>1</mn></mrow><mn>2</mn></mfrac></math>', '(x+1)/2'],
    ['<math><msup><mn>10</mn><mn>6</mn></msup></math>', '10^6'],
    ['<math><msqrt><mn>2</mn></msqrt></math>', '√2'],
    ['<math><msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup></math>', 'x_1^2'],
    [
      '<math><semantics><msup><mi>c</mi><mn>2</mn></msup><annotation encoding="application/x-tex">c^2</annotation></semantics></math>',
      'c^2',
    ],
  ])('is a fraction or a formula: %s', (html, text) => expect(written(html)).toBe(text))

  it.each([
    ['<ruby>漢<rt>kan</rt>字<rt>ji</rt></ruby>', '漢(kan)字(ji)'],
    ['<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>', '漢(kan)'],
  ])('has its reading beside it: %s', (html, text) => expect(written(html)).toBe(text))

  it('appears once, if a page shows a formula twice', () => {
    const math = '<math><msup><mn>10</mn><mn>6</mn></msup></math>'
    expect(
      written(
        `<span class="katex"><span class="katex-mathml">${math}</span><span class="katex-html" aria-hidden="true"><span>1</span><span>06</span></span></span>`,
      ),
    ).toBe('10^6')
    expect(
      written(
        `<span class="mwe-math-element"><span class="mwe-math-mathml-inline mwe-math-mathml-a11y" style="display: none;">${math}</span><img class="mwe-math-fallback-image-inline" aria-hidden="true" alt="10^{6}" src="/m.svg"></span>`,
      ),
    ).toBe('10^6')
  })

  it.each([
    ['<del>20</del><ins>15</ins> euros', '20 15 euros', '~~20~~ 15 euros'],
    ['<s>$20</s>$15', '$20 $15', '~~$20~~ $15'],
    ['<strike>19.99</strike>9.99', '19.99 9.99', '19.99 9.99'],
    ['number<s>s</s>', 'numbers', 'number~~s~~'],
  ])('is not joined with one that it replaces: %s', (html, text, markdown) => {
    const all = read(`<p>It was told: ${html} by all who have measured it in these years.</p>`)
    expect(all.text).toContain(`told: ${text} by`)
    expect(all.markdown).toContain(`told: ${markdown} by`)
  })

  it.each([
    ['<ol start=5><li>a</li><li value=9>b</li><li>c</li></ol>', '5. a\n9. b\n10. c'],
    ['<ol reversed><li>a</li><li>b</li></ol>', '2. a\n1. b'],
    ['<ol><li>a</li><li>b</li></ol>', '1. a\n2. b'],
  ])('of an item is the one that a reader sees: %s', (html, markdown) =>
    expect(read(html).markdown).toContain(markdown),
  )

  it('at the foot begins a note', () => {
    const { text } = read('<p><sup>1</sup> The book of the harbour, page 48, in the hand of its keeper.</p>')
    expect(text).toContain('[1] The book')
  })
})
