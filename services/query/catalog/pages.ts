/** The pages of the catalog, in the forms that people, agents and registries read. */
import { Failure } from '../../offer/errors.ts'
import type { OpenOrigin, ServedPage } from '../../offer/origin.ts'
import { icon } from '../face/icon.ts'
import { finderPath, pageHeaders, scriptHeaders } from '../face/layout.ts'
import { type Picture, pictureEnd, picturePage } from '../face/picture.ts'
import { docsPath } from '../face/text.ts'
import { aboutUs, soldBy } from '../mcp/tools.ts'
import { changelogPages } from './changelog-page.ts'
import { docsList } from './docs-list.ts'
import { docsPage, docsPicture, withBehind } from './docs-page.ts'
import { drawingScripts } from './drawing-scripts.ts'
import { finderScript } from './finder.ts'
import { robots, securityText, sitemap } from './found.ts'
import { homePage, homePicture, withFigures } from './home-page.ts'
import { llms, llmsFull, llmsPath } from './llms.ts'
import { type CatalogOptions, offeredBy } from './offered.ts'
import { openapi } from './openapi.ts'
import { placesPage, placesScript } from './places-page.ts'
import { priceList } from './texts.ts'
import { canTry, tryItScript, walletScripts } from './try-it.ts'

const html = 'text/html; charset=utf-8'
const json = 'application/json; charset=utf-8'
const javascript = 'text/javascript; charset=utf-8'
const text = 'text/plain; charset=utf-8'

type Origins = readonly OpenOrigin[]

/** `shared` are the other pages that every host shows. */
export function catalogPages(options: CatalogOptions, shared: readonly ServedPage[] = []): ServedPage[] {
  const others = [...shared, ...(options.play?.others ?? [])]
  const changes = changelogPages(options.contact)
  const people = derived(html, (origins: Origins) => homePage(origins, options))
  const list = derived(html, (origins: Origins) => docsList(origins, options))
  const programs = derived(json, (origins: Origins) => JSON.stringify(priceList(origins, options)))
  const documents = documentsOf(options)
  const ofOne = derived(text, (origin: OpenOrigin) => llmsFull([origin], options))
  return [
    {
      path: '/',
      answer: async ({ accept, origins }) => {
        if (!accept.includes('text/html')) return programs(origins)
        const { type, body } = people(origins)
        return { type, body: withFigures(body, (await options.figures?.()) ?? []), headers: pageHeaders }
      },
    },
    {
      path: '/docs',
      answer: ({ origins }) => ({ ...list(origins), headers: pageHeaders }),
      isForPeople: true,
    },
    {
      path: '/docs/*',
      answer: async ({ path, origins }) => {
        if (path.endsWith(pictureEnd)) return picturePage(pictureAt(path, origins, options))
        const found = offeredBy(origins).find(offered => docsPath(offered.path) === path)
        if (!found) throw new Failure('not_found')
        return {
          type: html,
          headers: canTry(found, options) ? scriptHeaders : pageHeaders,
          body: withBehind(documents(found.origin, path), await options.behind?.(found, origins)),
        }
      },
    },
    ...others,
    ...changes,
    ...(options.play ? [options.play.page] : []),
    ...[tryItScript, placesScript, ...walletScripts].map(scriptPage),
    drawingScripts(),
    placesPage,
    shown(finderPath, javascript, finderScript),
    shown('/robots.txt', text, robots),
    {
      path: '/sitemap.xml',
      answer: ({ origins }) => ({
        type: 'application/xml; charset=utf-8',
        body: sitemap(origins, [...others, ...changes]),
      }),
    },
    {
      path: '/.well-known/security.txt',
      answer: ({ origins }) => ({ type: text, body: securityText(origins, options) }),
    },
    shown('/openapi.json', json, origins => JSON.stringify(openapi(origins, options))),
    shown('/llms.txt', text, origins => llms(origins, options)),
    shown('/llms-full.txt', text, origins => llmsFull(origins, options)),
    {
      path: '/llms/*',
      answer: ({ path, origins }) => {
        const origin = origins.find(each => llmsPath(each) === path)
        if (!origin) throw new Failure('not_found')
        return ofOne(origin)
      },
    },
    shown('/.well-known/x402', json, origins => JSON.stringify(resources(origins))),
    shown('/.well-known/mcp.json', json, origins => JSON.stringify(mcp(origins, options))),
    { path: '/favicon.ico', answer: () => ({ type: 'image/svg+xml', body: icon }) },
  ]
}

/** The general one stands where no operation is. */
function pictureAt(path: string, origins: Origins, options: CatalogOptions): Picture {
  const page = path.slice(0, -pictureEnd.length)
  const found = offeredBy(origins).find(offered => docsPath(offered.path) === page)
  if (!found && page !== '/docs') throw new Failure('not_found')
  return found ? docsPicture(found) : homePicture(origins, options)
}

const scriptPage = ({ path, body }: { path: string; body: string }): ServedPage => ({
  path,
  answer: () => ({ type: javascript, body }),
})

const resources = (origins: Origins) => ({
  version: 1,
  receipts: origins.flatMap(({ url, free }) =>
    free.filter(({ id }) => id === 'receiptSigner').map(({ path }) => url + path),
  ),
  resources: origins.flatMap(({ url, operations }) => operations.map(({ path }) => url + path)),
})

const mcp = (origins: Origins, { mcpUrl }: CatalogOptions) => ({
  name: 'farebox',
  url: mcpUrl,
  transport: 'streamable-http',
  tools: [
    ...soldBy(origins).map(({ name }) => name),
    ...origins.flatMap(({ free }) => free.flatMap(({ tool }) => tool ?? [])),
    ...aboutUs.map(({ name }) => name),
  ],
})

function shown(path: string, type: string, write: (origins: Origins) => string): ServedPage {
  const of = derived(type, write)
  return { path, answer: ({ origins }) => of(origins) }
}

/** Writes the page of an operation once, as long as its origin stays as it is. */
function documentsOf(options: CatalogOptions) {
  const written = new WeakMap<OpenOrigin, Map<string, string>>()
  return (origin: OpenOrigin, path: string): string => {
    const known = written.get(origin) ?? new Map<string, string>()
    written.set(origin, known)
    const offered = offeredBy([origin]).find(each => docsPath(each.path) === path)
    if (!offered) throw new Failure('not_found')
    const body = known.get(path) ?? docsPage(offered, options)
    known.set(path, body)
    return body
  }
}

/** Writes the body once for each host, or for each origin, and keeps it. */
function derived<Of extends WeakKey>(type: string, write: (of: Of) => string) {
  const bodies = new WeakMap<Of, string>()
  return (of: Of) => {
    const body = bodies.get(of) ?? write(of)
    bodies.set(of, body)
    return { type, body }
  }
}
