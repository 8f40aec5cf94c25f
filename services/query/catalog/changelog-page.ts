/** CHANGELOG.md as a page. */
import { readFileSync } from 'node:fs'
import type { ServedPage } from '../../offer/origin.ts'
import { layout, pageHeaders } from '../face/layout.ts'
import { escaped } from '../face/text.ts'

const file = new URL('../../../CHANGELOG.md', import.meta.url)

export function changelogPage(contact: string): ServedPage {
  const body = layout({
    title: 'Changes · Farebox',
    about: 'What changed, by version.',
    path: '/changelog',
    body: pageOf(readFileSync(file, 'utf8')),
    contact,
  })
  return {
    path: '/changelog',
    isForPeople: true,
    answer: () => ({ type: 'text/html; charset=utf-8', headers: pageHeaders, body }),
  }
}

/** Renders the part of Markdown that the file uses: headings, lists, code, bold, links, paragraphs. */
export const pageOf = (markdown: string): string =>
  markdown
    .trim()
    .split(/\n{2,}/)
    .flatMap(blocks)
    .join('\n')

function blocks(block: string): string[] {
  const [first = '', ...rest] = block.split('\n')
  const heading = /^(#{1,4}) (.*)$/.exec(first)
  if (heading) {
    const level = heading[1]?.length
    return [
      `<h${level}>${inline(heading[2] ?? '')}</h${level}>`,
      ...(rest.length ? blocks(rest.join('\n')) : []),
    ]
  }
  if (!first.startsWith('- ')) return [`<p>${inline(block)}</p>`]
  const items = block.split(/^- /m).slice(1)
  return [`<ul>${items.map(item => `<li>${inline(item)}</li>`).join('')}</ul>`]
}

const inline = (text: string): string =>
  escaped(text.replace(/\s+/g, ' ').trim())
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replace(/\[([^\]]+)\]\((https?:[^)]+)\)/g, '<a href="$2">$1</a>')
    .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
