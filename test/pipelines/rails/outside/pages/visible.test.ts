import { describe, expect, it } from 'vitest'
import { visibleOf } from '../../../../../pipelines/rails/outside/pages/visible.ts'

const textOf = (html: string) => visibleOf(html).text

describe('the visible text of a static page', () => {
  it.each([
    ['words in one line', '<b>one</b> <i>two</i>three', 'one twothree'],
    ['links side by side as texts of their own', '<nav><a>Home</a><a>About</a></nav>', 'Home About'],
    ['the same in spans', '<span><a><b>1</b></a></span><span><a>2</a></span><button>3</button>', '1 2 3'],
    ['a link within a word as a part of it', 'un<a>glue</a>d<a name="x"></a><a>!</a>', 'unglued!'],
    ['white space as one space', 'one \n\t two&nbsp;three', 'one two\u00A0three'],
    ['blocks as lines', '<div>one</div><div>two</div>three', 'one\ntwo\nthree'],
    ['paragraphs with an empty line between', '<p>one</p><p>two</p>', 'one\n\ntwo'],
    ['breaks', 'one<br>two<br><br>three', 'one\ntwo\n\nthree'],
    ['cells with tabs between', '<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>', 'a\tb\nc'],
    [
      'empty cells, too',
      '<table><tr><td>a</td><td></td><td>b</td></tr><tr><td></td><td>c</td></tr></table>',
      'a\t\tb\n\tc',
    ],
    [
      'an empty first cell below a high one',
      '<table><tr><td rowspan="2">2020</td><td>North</td><td>11</td></tr><tr><td>South</td><td>22</td></tr><tr><td>2021</td><td>West</td><td>33</td></tr></table>',
      '2020\tNorth\t11\n\tSouth\t22\n2021\tWest\t33',
    ],
    [
      'an empty first cell of all',
      '<table><tr><th></th><th colspan=2>2020</th><th>2021</th></tr><tr><td>a</td><td>1</td><td>2</td><td>3</td></tr></table>',
      '\t2020\t\t2021\na\t1\t2\t3',
    ],
    [
      'cells and rows without their end tags',
      '<table><tr><td rowspan=2>a<td>10<td>20<tr><td>30<td>40</table>',
      'a\t10\t20\n\t30\t40',
    ],
    [
      'a cell that would reach out of its group of rows',
      '<table><tbody><tr><td rowspan=0>a</td><td>1</td></tr><tr><td>2</td></tr></tbody><tbody><tr><td>b</td><td>3</td></tr></tbody></table>',
      'a\t1\n\t2\nb\t3',
    ],
    ['powers by a style', '10<span style="vertical-align:super">6</span> kWh', '10^6 kWh'],
    [
      'powers by a class',
      '<style>.p{vertical-align:super}</style>10<span class="p">6</span> kWh',
      '10^6 kWh',
    ],
    [
      'powers by a rule within others',
      '<style>p .p, td span.p { font-size:.7em; position:relative; top:-.4em }</style>10<span class="p">6</span> kWh',
      '10^6 kWh',
    ],
    ['powers by the name of a class', '10<span class="sup">6</span> kWh', '10^6 kWh'],
    [
      'cents by a class',
      '<style>.c{font-size:60%;vertical-align:top}</style>$5<span class="c">99</span> a seat',
      '$5.99 a seat',
    ],
    [
      'no powers in badges, pictures and cells',
      '<style>.b{font-size:70%;vertical-align:top} td{vertical-align:super}</style>Walls<span class="b">new</span> <i class="b"></i>4<table><tr><td>1</td><td class="b">2</td></tr></table>',
      'Wallsnew 4\n\n1\t2',
    ],
    ['formulas as a line', 'of <math><msup><mn>10</mn><mn>6</mn></msup></math> kWh', 'of 10^6 kWh'],
    ['formulas apart', '3<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>cups', '3 1/2 cups'],
    [
      'formulas once, without their copy',
      '<span class="katex"><span class="katex-mathml"><math><semantics><msup><mn>10</mn><mn>6</mn></msup><annotation encoding="application/x-tex">10^6</annotation></semantics></math></span><span class="katex-html" aria-hidden="true"><span>10<span>6</span></span></span></span> kWh',
      '10^6 kWh',
    ],
    [
      'formulas that a picture shows',
      'of <span class="e"><span class="mwe-math-mathml-inline" style="display: none;"><math><msup><mn>10</mn><mn>6</mn></msup></math></span><img src="a.svg" aria-hidden="true"></span> kWh',
      'of 10^6 kWh',
    ],
    [
      'no prose in a hidden formula',
      'one<span class="mathml" style="display:none"><math><mtext>one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen</mtext></math></span>',
      'one',
    ],
    ['readings in brackets', '<ruby>漢<rt>kan</rt>字<rt>ji</ruby>と', '漢(kan)字(ji)と'],
    ['readings once', '<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>', '漢(kan)'],
    [
      'numbers that were replaced apart',
      '<del>20</del><ins>15</ins> euros, <s>9.99</s>7.99',
      '20 15 euros, 9.99 7.99',
    ],
    ['lists as lines', '<ul><li>one<li>two</ul>', 'one\ntwo'],
    ['preformatted text as it is', '<pre>a\n  b</pre>', 'a\n  b'],
    [
      'references',
      '&lt;b&gt; &amp;amp; &#65;&#x42; &euro;5 caf&eacute; &Omega; &unknown; &#150;',
      '<b> &amp; AB €5 café Ω &unknown; –',
    ],
    ['powers as powers', 'of 10<sup>6</sup> and 3 m<sup>2</sup>', 'of 10^6 and 3 m^2'],
    ['marks of notes in brackets', 'in 1874<sup><a href="#n1">1</a></sup>, at last', 'in 1874[1], at last'],
    ['cents as cents', '<b>$5</b><sup>99</sup> a seat', '$5.99 a seat'],
    ['fractions as fractions', '3<sup>1</sup>&frasl;<sub>2</sub> cups', '3 1/2 cups'],
    ['a text in small letters', 'one<sup><p>two</p></sup>three', 'one\n\ntwo\n\nthree'],
    ['a sign that begins no tag', '1 < 2 and 3 > 2', '1 < 2 and 3 > 2'],
    [
      'no scripts, styles, comments and templates',
      '<style>a{}</style>one<script>"</p>"</script><!-- <p>no</p> --><template>no</template>',
      'one',
    ],
    ['nothing of the head', '<head><title>T</title><meta name="d" content="no"></head><body>one', 'one'],
    [
      'nothing that is hidden',
      '<div hidden>no<div>no</div></div><p style="color:red; display : none">no</p>one',
      'one',
    ],
    ['what follows a script that never ends as nothing', 'one<script>two', 'one'],
    ['an end tag without a beginning as nothing', 'one</div></b>two', 'one\ntwo'],
    ['a tag that never ends as nothing', 'one<div class="', 'one'],
  ])('has %s', (_, html, text) => {
    expect(textOf(html)).toBe(text)
  })

  it('comes with the title and the language', () => {
    const { title, lang } = visibleOf(
      '<html class=x lang="pt-BR"><title>\n A &amp; B </title><title>no</title>',
    )
    expect([title, lang]).toEqual(['A & B', 'pt-BR'])
  })

  it('ends when it is long enough', () => {
    expect(visibleOf('word '.repeat(100_000), 12).text).toHaveLength(12)
  })

  // If the reader took the square of their length, each of these would take minutes.
  it.each([
    ['open tags', '<a "'.repeat(300_000), ''],
    ['open comments', '<!--'.repeat(300_000), ''],
    ['open scripts', '<script>'.repeat(300_000), ''],
    ['nested elements', '<div hidden>'.repeat(300_000), ''],
    ['signs', '< '.repeat(300_000), '< '.repeat(300_000).trim()],
    ['references', '&#'.repeat(300_000), '&#'.repeat(300_000)],
    ['open words with readings', '<ruby><rt>'.repeat(100_000), ''],
    ['open formulas', '<math><mn>'.repeat(100_000), ''],
    ['nested formulas', `${'<math><mrow>'.repeat(100_000)}</math>`, ''],
    ['hidden formulas', '<span class=mathml hidden><math>'.repeat(50_000), ''],
    ['raised letters', '<i class=sup>'.repeat(200_000), ''],
  ])('is found in a hostile page of many %s', (_, html, text) => {
    expect(textOf(html)).toBe(text)
  })

  it('keeps a title and a language of any length within their bounds', () => {
    const { title, lang } = visibleOf(`<html lang="${'x'.repeat(10_000)}"><title>${'y'.repeat(10_000)}`)
    expect([title.length, lang?.length]).toEqual([2_000, 100])
  })
})
