/** Texts that make a careless reader look at the same letters again and again. Each has about `bytes` letters. */
export type Input = (bytes: number) => string

const again =
  (text: string): Input =>
  bytes =>
    text.repeat(Math.max(1, Math.floor(bytes / text.length)))

const within =
  (open: string, close: string): Input =>
  bytes => {
    const times = Math.floor(bytes / (open.length + close.length))
    return open.repeat(times) + close.repeat(times)
  }

const behind =
  (start: string, rest: Input): Input =>
  bytes =>
    start + rest(bytes)

const texts =
  ' ,\n,\t,a,1,1 ,1.,a. ,a! ,A. ,Mr. ,a。,a\n,$1 ,€ ,&,&#,&amp;,",\',\\,{,[,{",":,/*,//,-,*,`,|,é,中,ก,\u0301,SKU: ,sold ,only 1 ,not ,from '.split(
    ',',
  )
const tags =
  '<|>|<a|<p>|</p>|<b>|<div>|<!--|-->|<!|<![CDATA[|<script|<script>|<noscript>|<noscript>need|<title|<title>|<svg/>|<td>|<td> |<td>a<td>|<tr><td>|<ul><li>|<ol><li>|<br>|<pre>\n|<i>x</i>|<h1>x|<html>|<html |<body |<head |<meta |<div id="root"|<main id=app |<app-root|<select><option>|<iframe>|<a href=x>d </a>|<b class=price>$1</b>|<b itemscope itemref="a b" id=a>|<b><p>|<?|</'.split(
    '|',
  )

export const plain: Record<string, Input> = Object.fromEntries([
  ...texts.map(text => [JSON.stringify(text), again(text)]),
  ['brackets in brackets', within('[', ']')],
  ['objects in objects', within('{"a":', '}')],
  ['blanks behind a word', behind('a', again(' '))],
  ['a string without an end', behind('{"a":"', again('a"'))],
])

export const pages: Record<string, Input> = {
  ...Object.fromEntries(tags.map(tag => [JSON.stringify(tag), again(tag)])),
  'elements in elements': within('<div>', '</div>'),
  'lists in lists': within('<ul><li>', '</li></ul>'),
  'shadow trees in shadow trees': within(
    '<a-b><template shadowrootmode=open><slot>',
    '</slot></template></a-b>',
  ),
  'shadow trees': again('<a-b><template shadowrootmode=open><slot></slot></template>a</a-b>'),
  'documents in frames': again('<iframe srcdoc="&lt;iframe srcdoc=a&gt;">'),
  'rules of a style': bytes => `<style>${'.a{color:transparent}'.repeat(bytes / 21)}</style>`,
  'a style without rules': behind('<style>', again('/* ')),
  'unseen elements': again('<p style="font-size:0">a'),
  'links in links': within('<a href=x>', '</a>'),
  'text in a script': behind('<script>', again('a')),
  'tags in a script': behind('<script>', again('<html>')),
  'a heading without an end': behind('<title>Cup</title><h1>Cup', again(' -->')),
  'blanks in data': behind('<script type="application/ld+json">product', again(' ')),
  'holes in data': behind('<script type="application/ld+json">{"product":1', again(',')),
  'pieces of a stream': behind('<script>price', again('__next_f.push([')),
  'rows of a stream': behind('<script>__next_f.push([1,"price', again('\\n1:[')),
  'texts of a stream': behind('<script>__next_f.push([1,"price\\n', again('1:T1,')),
  'quotes in data': behind('<script type="application/ld+json">product', again('"')),
}
