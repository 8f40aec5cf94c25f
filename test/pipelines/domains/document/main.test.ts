import { describe, expect, it } from 'vitest'
import { mainOf } from '../../../../pipelines/domains/document/page/main.ts'

const sentence = (n: number) =>
  `The sea wall of harbour number ${n} was built in 1911, and it was repaired once, in the spring of 1978.`
const paragraphs = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `<p>${sentence(from + i)}</p>`).join('\n')
const textOf = (body: string, head = '') =>
  mainOf(`<title>T</title>${head}<body>${body}`, 'https://a.example/').text

describe('the main text', () => {
  it('of an article has no menu, byline, caption, share, offer or foot', () => {
    const text = textOf(`
      <header><a href="/">Home</a></header><nav><a href="/a">World</a> <a href="/b">Sport</a></nav>
      <article><h1>The wall</h1><p>By A. Writer</p><p>Updated 3 May</p>
        ${paragraphs(0, 3)}
        <figure><img src="a.jpg"><figcaption>A wall (Image: A. Photographer)</figcaption></figure>
        <p><a href="/c">Related: another wall, in another town</a></p>
        ${paragraphs(3, 6)}
        <div class="share-tools">Share this on all networks</div>
        <p>Follow us on every network</p>
      </article>
      <aside>${paragraphs(90, 91)}</aside><footer>All rights reserved</footer>`)
    expect(text).toBe(['The wall', ...[0, 1, 2, 3, 4, 5].map(sentence)].join('\n\n'))
  })

  it('of a discussion has every post', () => {
    const post = (n: number) => `<div class="message-body"><div class="bbWrapper">${sentence(n)}</div></div>`
    const text = textOf(`<nav>Forum</nav><div class="comments">${[1, 2, 3].map(post).join('')}</div>`)
    for (const n of [1, 2, 3]) expect(text).toContain(sentence(n))
  })

  it('has links from the base that the page names', () => {
    const { markdown } = mainOf(
      `<head><base href="/manual/"></head><body>${paragraphs(0, 5)}<p><a href="keys">Keys</a> are of iron, and each of them opens one door of the wall.</p>`,
      'https://a.example/b/c',
    )
    expect(markdown).toContain('[Keys](https://a.example/manual/keys)')
  })

  it('of an article ends before the farewell to its readers', () => {
    const text = textOf(`<article>${paragraphs(0, 6)}
      <p>Have a tip? Write to <a href="mailto:a@a.example">a@a.example</a>.</p>
      <p>There is more where that came from. Sign up for our letter, and read it each morning.</p></article>`)
    expect(text.endsWith(sentence(5))).toBe(true)
  })

  it('has no box that opens over a word', () => {
    const box =
      '<span class="rollover-people-block">The keeper of the wall, and all that he ever wrote</span>'
    expect(
      textOf(
        `<article>${paragraphs(0, 5)}<p>The <a>keeper</a>${box} went home early on that day of spring.</p></article>`,
      ),
    ).toContain('The keeper went home')
  })

  it('of a product has no texts of buyers, windows or feet, however long', () => {
    const text = textOf(
      `<cart-drawer><p>Your cart is empty</p></cart-drawer><main><h1>A wall</h1>${paragraphs(0, 3)}
        <div class="filter-bar">Show all walls</div>
        <div class="product-reviews">${paragraphs(20, 26)}</div></main>
        <div class="size-modal">${paragraphs(30, 37)}</div>`,
      '<meta property="og:type" content="product">',
    )
    expect(text).toContain(sentence(2))
    for (const other of [sentence(22), sentence(33), 'Show all walls', 'Your cart is empty'])
      expect(text).not.toContain(other)
  })

  it('of a page of cards has every card', () => {
    const card = (n: number) =>
      `<div class="card"><h3>Wall ${n}</h3><p>€${n}.50</p><p>${sentence(n)}</p></div>`
    const text = textOf(`<main>${Array.from({ length: 12 }, (_, i) => card(i)).join('')}</main>`)
    for (const n of [0, 5, 11]) expect(text).toContain(`Wall ${n}`)
  })

  it('of a page of links is its links', () => {
    const links = Array.from({ length: 30 }, (_, i) => `<li><a href="/${i}">Job ${i}</a></li>`).join('')
    expect(textOf(`<nav><a href="/">Home</a></nav><main><ul>${links}</ul></main>`)).toContain(
      '- Job 29'.slice(2),
    )
  })

  it("is the page's text for readers without scripts, if there is no other", () => {
    expect(textOf(`<div id="app"></div><noscript>${paragraphs(0, 8)}</noscript>`)).toContain(sentence(7))
  })

  it('includes the hidden parts that React has streamed', () => {
    const text = textOf(`<main>${paragraphs(0, 2)}<template id="B:0"></template></main>
      <div hidden id="S:0">${paragraphs(2, 9)}</div><script>$RC("B:0","S:0")</script>`)
    expect(text).toContain(sentence(8))
  })

  it('includes hidden tabs and accordions, but no short hidden part', () => {
    const text = textOf(`<main>${paragraphs(0, 2)}<div style="display:none">${paragraphs(2, 8)}</div>
      <div hidden>Thank you, your message was sent</div></main>`)
    expect(text).toContain(sentence(7))
    expect(text).not.toContain('Thank you')
  })

  it('is not lost behind a section of CDATA, as a parser of XML would lose it', () => {
    expect(textOf(`<![CDATA[<main>${paragraphs(0, 4)}</main>`)).toContain(sentence(3))
  })

  it('is the whole text, if the rules leave nothing', () => {
    expect(textOf('<nav>Only a menu</nav>')).toBe('Only a menu')
  })

  it('of nothing is empty', () => {
    expect(mainOf('')).toMatchObject({ title: '', lang: null, text: '', markdown: '' })
  })

  it('keeps a hundred languages', () => {
    const names = new Intl.DisplayNames('en', { type: 'language' })
    const codes =
      'af am ar as az be bg bn bo br bs ca cs cy da de dz ee el en eo es et eu fa fi fo fr ga gd gl gu ha he hi hr hu hy id ig is it ja ka kk kl km kn ko ks ky lb lo lt lv mg mi mk ml mn mr ms mt my nb ne nl nn om or pa pl ps pt qu rm ro ru rw sa se si sk sl sn so sq sr sv sw ta te tg th ti tk to tr ug uk ur uz vi wo yi yo zh zu'.split(
        ' ',
      )
    const own = codes.map(
      code => new Intl.DisplayNames(code, { type: 'language' }).of(code) ?? names.of(code) ?? code,
    )
    expect(new Set(own).size).toBeGreaterThan(95)
    const { text, markdown } = mainOf(
      `<article>${own.map((name, i) => `<p lang="${codes[i]}">${name}: ${sentence(i)}</p>`).join('')}</article>`,
    )
    for (const name of own) {
      expect(text).toContain(name.replace(/\s+/g, ' '))
      expect(markdown).toContain(name.replace(/\s+/g, ' '))
    }
  })
})

describe('the title and the language', () => {
  it.each([
    ['<html lang="de-AT"><title> Die\n Mauer </title>', 'Die Mauer', 'de-AT'],
    ['<html lang="pt_BR"><meta property="og:title" content="O muro">', 'O muro', 'pt-BR'],
    ['<html lang="<script>"><body><h1>The wall</h1>', 'The wall', null],
    ['<title></title><p>No name</p>', '', null],
  ])('of %j', (html, title, lang) => {
    expect(mainOf(html)).toMatchObject({ title, lang })
  })
})

it('leaves out what a program for consent has written, though it is longer than the text', () => {
  const policy = Array.from(
    { length: 30 },
    (_, n) =>
      `<p>Partner number ${n} may store and read information on your device, as its own policy says in its part ${n}.</p>`,
  ).join('')
  const story = Array.from(
    { length: 5 },
    (_, n) =>
      `<p>The gauge of basin number ${n} was read each morning, and its figures were kept in a book.</p>`,
  ).join('')
  for (const name of ['onetrust-consent-sdk', 'CybotCookiebotDialog', 'sp_message_container_81']) {
    const { text } = mainOf(
      `<title>T</title><body><div id="${name}"><div class="main-content"><h2>Your choice</h2>${policy}</div></div><main><article>${story}</article></main>`,
    )
    expect(text).toMatch(/basin number 4/)
    expect(text).not.toMatch(/Partner/)
  }
})
