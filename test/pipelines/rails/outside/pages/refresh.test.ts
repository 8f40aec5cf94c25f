import { describe, expect, it } from 'vitest'
import { feedAsPage } from '../../../../../pipelines/rails/outside/pages/feed.ts'
import { refreshOf } from '../../../../../pipelines/rails/outside/pages/refresh.ts'
import { visibleOf } from '../../../../../pipelines/rails/outside/pages/visible.ts'

describe('a page that sends its reader elsewhere', () => {
  it.each([
    ['<meta http-equiv="refresh" content="0; url=/new">Moving', '/new'],
    [`<META HTTP-EQUIV='Refresh' CONTENT="3;URL='https://b.example/'">`, 'https://b.example/'],
    ['<meta content="0,/x?a=1&amp;b=2" http-equiv=refresh>', '/x?a=1&b=2'],
  ])('says where: %s', (html, url) => expect(refreshOf(html)).toBe(url))

  it.each([
    '<p>Moving',
    '<meta http-equiv="refresh" content="5">',
    '<meta http-equiv="refresh" content="900; url=/new">',
    `<meta http-equiv="refresh" content="0; url=/new"><p>${'A text of its own. '.repeat(60)}`,
  ])('is no other: %s', html => expect(refreshOf(html)).toBeUndefined())
})

describe('a feed', () => {
  const item = (title: string, text: string) =>
    `<item><title>${title}</title><link>https://a.example/1</link><description>${text}</description></item>`
  const rss = (items: string) =>
    `<?xml version="1.0"?><rss version="2.0"><channel><title>Harbour news</title>${items}</channel></rss>`

  it('has the titles and the texts of its entries', () => {
    const { title, text } = visibleOf(
      feedAsPage(
        rss(
          item('The wall', '<![CDATA[<p>It was <b>built</b> in 1911.</p>]]>') +
            item('The <![CDATA[boats & ships]]>', '&lt;p&gt;They are back.&lt;/p&gt;'),
        ),
      ),
    )
    expect(title).toBe('Harbour news')
    for (const part of ['The wall', 'It was built in 1911.', 'boats & ships', 'They are back.'])
      expect(text).toContain(part)
    expect(text).not.toMatch(/[<>]|CDATA/)
  })

  it('of Atom has them too, and a page stays as it is', () => {
    const atom =
      '<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title><entry><title type="html">One</title><summary>Two</summary></entry></feed>'
    expect(visibleOf(feedAsPage(atom)).text).toMatch(/One[\s\S]*Two/)
    expect(feedAsPage('<html><title>rss</title>')).toBe('<html><title>rss</title>')
  })
})
