/** Fetches a page as its host wishes: it follows robots.txt and waits for its turn. It records each fetch in the log. */
import { randomUUID } from 'node:crypto'
import { instant } from '../../../../schemas/values/values.ts'
import { webFetches } from '../../../../schemas/web-fetches.ts'
import { entryOf, type Log } from '../../log/log.ts'
import { Busy, NoBrowser } from '../browser/browser-failures.ts'
import type { Fresh } from '../browser/render.ts'
import type { PublicFetch } from '../fetching/visit.ts'
import { HostTurns, type HostTurnsOptions } from './host-turns.ts'
import type { NoPage } from './page.ts'
import { openRobots } from './robots.ts'
import type { FoundPage } from './visited.ts'

interface PoliteOptions {
  log: Log
  visits: PublicFetch
  now: () => number
  onFailed: (error: unknown) => void
  turns?: Omit<HostTurnsOptions, 'now'>
}

type Fetch = () => Promise<FoundPage | NoPage>

export function politeFetch({ log, visits, now, onFailed, turns: limits }: PoliteOptions) {
  const robots = openRobots(visits, now)
  const turns = new HostTurns({ ...limits, now })

  /** A redirect may lead to a site whose robots.txt forbids the page. */
  async function allowed(found: FoundPage, asked: URL): Promise<FoundPage | NoPage> {
    const final = new URL(found.page.finalUrl)
    return final.origin === asked.origin || (await robots.allows(final)) ? found : disallowed(final)
  }

  return async (url: URL, rendered: boolean, fetch: Fetch): Promise<FoundPage | NoPage> => {
    const startedAt = performance.now()
    const tell = (outcome: string, page?: Fresh) => {
      const entry = entryOf(webFetches, {
        id: randomUUID(),
        at: instant(now()),
        rendered,
        outcome,
        status: page?.status ?? null,
        took_ms: Math.round(performance.now() - startedAt),
        bytes: page?.bytes.length ?? 0,
        content_type: page?.contentType ?? '',
      })
      // No caller waits for this append, and its failure refuses no caller.
      log.append(webFetches.topic, [entry]).catch(onFailed)
    }
    try {
      const found = (await robots.allows(url)) ? await turns.run(url.hostname, fetch) : disallowed(url)
      const checked = 'refusal' in found ? found : await allowed(found, url)
      if ('refusal' in checked) tell(checked.refusal)
      else tell('page', checked.page)
      return checked
    } catch (error) {
      tell(error instanceof Busy ? 'busy' : error instanceof NoBrowser ? 'no_browser' : 'failed')
      throw error
    }
  }
}

const disallowed = ({ hostname }: URL): NoPage => ({
  refusal: 'robots_disallowed',
  message: `The robots.txt of ${hostname} names Farebox and disallows the page`,
})
