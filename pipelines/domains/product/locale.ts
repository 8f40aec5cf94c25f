/** The language and the country of a site, by its pages and its address. */
import type { Markup } from './markup.ts'

export interface Locale {
  /** Two letters, in lower case. */
  language: string | undefined
  /** Two letters, in upper case. */
  country: string | undefined
}

/** Country domains that the whole world uses. */
const worldly = new Set([
  'AI',
  'CC',
  'CO',
  'FM',
  'GG',
  'IO',
  'ME',
  'TV',
  'WS',
  'LY',
  'TO',
  'SH',
  'EU',
  'AC',
  'VC',
  'GL',
  'LA',
  'TK',
  'ML',
  'IM',
])
const languages = new Set(
  'ar az be bg bn bs ca cs da de el en es et fa fi fr he hi hr hu hy id is it ja ka kk ko lt lv mk ms nb nl nn no pl pt ro ru sk sl sq sr sv th tr uk ur vi zh'.split(
    ' ',
  ),
)

export function localeOf({ elements }: Markup, url: URL): Locale {
  const html = elements.find(({ name }) => name === 'html')?.attributes.lang
  const meta = elements.find(({ name, attributes }) => name === 'meta' && attributes.property === 'og:locale')
    ?.attributes.content
  const [first, second] = [html, meta].map(tagOf)
  const path = pathLocale(url)
  return {
    language: first?.language ?? path.language ?? second?.language,
    country: countryOfHost(url.hostname) ?? path.country ?? first?.country ?? second?.country,
  }
}

function tagOf(tag: string | undefined): Locale {
  const [language = '', ...rest] = (tag ?? '').trim().toLowerCase().split(/[-_]/)
  const country = rest.find(part => /^[a-z]{2}$/.test(part))?.toUpperCase()
  return { language: languages.has(language) ? language : undefined, country }
}

function countryOfHost(host: string): string | undefined {
  const last = host.split('.').at(-1)?.toUpperCase() ?? ''
  if (!/^[A-Z]{2}$/.test(last) || worldly.has(last)) return undefined
  return last === 'UK' ? 'GB' : last
}

/** `/en-ca/`, `/ca/en/`, `/ar/en/`. */
function pathLocale({ pathname, hostname }: URL): Locale {
  const [first = '', second = ''] = pathname.toLowerCase().split('/').filter(Boolean)
  const joined = /^([a-z]{2})[-_]([a-z]{2})$/.exec(first) ?? /^([a-z]{2})[-_]([a-z]{2})\./.exec(hostname)
  if (joined) {
    const [, a = '', b = ''] = joined
    return languages.has(a) ? { language: a, country: country(b) } : { language: b, country: country(a) }
  }
  if (/^[a-z]{2}$/.test(first) && /^[a-z]{2}$/.test(second) && languages.has(second))
    return { language: second, country: country(first) }
  return { language: languages.has(first) ? first : undefined, country: undefined }
}

const country = (text: string): string => (text === 'uk' ? 'GB' : text.toUpperCase())
