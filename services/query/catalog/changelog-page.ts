/** CHANGELOG.md as a page and as a feed. */
import { readFileSync } from 'node:fs'
import type { OpenOrigin, ServedPage } from '../../offer/origin.ts'
import { layout, pageHeaders } from '../face/layout.ts'
import { escaped } from '../face/text.ts'
import { generalPicture, urlOf } from './offered.ts'

const file = new URL('../../../CHANGELOG.md', import.meta.url)
const feedPath = '/changelog.atom'

export function changelogPages(contact: string): ServedPage[] {
  const markdown = readFileSync(file, 'utf8')
  const versions = versionsIn(markdown)
  const body = pageOf(markdown).replace(
    '<h2',
    `<nav class="row" aria-label="Versions">${versions.map(({ version }) => `<a href="#v${version}">${version}</a>`).join('')}<a href="${feedPath}">Feed</a></nav>\n<h2`,
  )
  const page = (origins: readonly OpenOrigin[]) =>
    layout({
      ...{
        title: 'Changes · Farebox',
        about: 'What changed, by version.',
        path: '/changelog',
        body,
        contact,
      },
      picture: generalPicture(origins),
    })
  return [
    {
      path: '/changelog',
      isForPeople: true,
      answer: ({ origins }) => ({
        type: 'text/html; charset=utf-8',
        headers: pageHeaders,
        body: page(origins),
      }),
    },
    {
      path: feedPath,
      answer: ({ origins }) => ({
        type: 'application/atom+xml; charset=utf-8',
        body: feedOf(versions, urlOf(origins)),
      }),
    },
  ]
}

interface Version {
  version: string
  /** The day, YYYY-MM-DD. */
  day: string
  /** What its parts are about. */
  parts: readonly string[]
}

const versionLine = /^## (\d[\w.]*), (\d{4}-\d{2}-\d{2})$/

function versionsIn(markdown: string): Version[] {
  return markdown.split(/^(?=## )/m).flatMap(part => {
    const [, version, day] = versionLine.exec(part.split('\n')[0] ?? '') ?? []
    if (version === undefined || day === undefined) return []
    return { version, day, parts: [...part.matchAll(/^#{3,4} (.*)$/gm)].map(([, title = '']) => title) }
  })
}

/** RFC 4287. */
function feedOf(versions: readonly Version[], url: string): string {
  const moment = (day: string) => `${day}T00:00:00Z`
  const entries = versions.map(
    ({ version, day, parts }) =>
      `<entry><id>${url}/changelog#v${version}</id><title>Farebox ${version}</title><link href="${url}/changelog#v${version}"/><updated>${moment(day)}</updated><summary>${escaped(parts.join('; '))}</summary></entry>`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom"><id>${url}/changelog</id><title>Changes of Farebox</title><author><name>Farebox</name></author><link rel="self" href="${url}${feedPath}"/><link href="${url}/changelog"/><updated>${moment(versions[0]?.day ?? '1970-01-01')}</updated>${entries.join('')}</feed>`
}

/** Renders the part of Markdown that the file uses: headings, lists, code, bold, links, paragraphs. A part of a version opens. */
export function pageOf(markdown: string): string {
  const [before = '', ...parts] = markdown.trim().split(/^(?=#{2,4} )/m)
  return [shown(before), ...parts.map(partOf)].filter(Boolean).join('\n')
}

function partOf(text: string): string {
  const [first = '', ...rest] = text.split('\n')
  const opened = /^#### (.*)$/.exec(first)
  if (!opened) return shown(text)
  const below = rest.join('\n')
  const count = below.match(/^- /gm)?.length ?? 0
  return `<details><summary>${inline(opened[1] ?? '')} <small>${count}</small></summary>${shown(below)}</details>`
}

const shown = (text: string): string =>
  text
    .trim()
    .split(/\n{2,}/)
    .flatMap(blocks)
    .join('\n')

function blocks(block: string): string[] {
  const [first = '', ...rest] = block.split('\n')
  const heading = /^(#{1,4}) (.*)$/.exec(first)
  if (heading) return [headingOf(first, heading), ...(rest.length ? blocks(rest.join('\n')) : [])]
  if (block.trim() === '') return []
  if (!first.startsWith('- ')) return [`<p>${inline(block)}</p>`]
  const items = block.split(/^- /m).slice(1)
  return [`<ul>${items.map(item => `<li>${inline(item)}</li>`).join('')}</ul>`]
}

function headingOf(line: string, [, marks = '', title = '']: RegExpExecArray): string {
  const [, version, day] = versionLine.exec(line) ?? []
  if (version !== undefined)
    return `<h2 id="v${version}">${version} <small><time datetime="${day}">${day}</time></small></h2>`
  return `<h${marks.length}>${inline(title)}</h${marks.length}>`
}

const inline = (text: string): string =>
  escaped(text.replace(/\s+/g, ' ').trim())
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replace(/\[([^\]]+)\]\((https?:[^)]+)\)/g, '<a href="$2">$1</a>')
    .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
