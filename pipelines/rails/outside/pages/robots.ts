/**
 * Reads the robots.txt of a site. A fetch for somebody's agent is a person's visit, so only a group that names
 * Farebox binds us.
 */
import { Bounded } from '../../bounded.ts'
import type { PublicFetch } from '../fetching/visit.ts'
import { allows, noRules, type Rules, readRules } from './robots-rules.ts'

interface Robots {
  /** False if the site names us and disallows this page. */
  allows(url: URL): Promise<boolean>
  /** The memory of the rules that it keeps. */
  readonly bytes: number
}

const name = 'Farebox'
const lastsMs = 24 * 60 * 60_000
/** A site whose robots.txt could not be read is asked again sooner than others. */
const failedLastsMs = 10 * 60_000
const mostSites = 5_000
/** The limit for the rules of all sites. Hardly a site names us, so most have none. */
const mostBytes = 8 << 20
/** RFC 9309 asks for at least 500 KiB. */
const limits = { maxBytes: 512 << 10, beyond: 'cut', firstByteMs: 3_000, totalMs: 4_000 } as const

interface Site {
  rules: Promise<Rules>
  until: number
  bytes: number
}

export function openRobots(visits: PublicFetch, now: () => number): Robots {
  const sites = new Bounded<Site>({ most: mostSites, mostWeight: mostBytes, weigh: ({ bytes }) => bytes })

  async function read(origin: string, site: Site): Promise<Rules> {
    try {
      const { status, bytes: file } = await visits.visit(`${origin}/robots.txt`, limits)
      const rules = status === 200 ? await readRules(file, name) : noRules
      site.until = now() + (status < 500 ? lastsMs : failedLastsMs)
      site.bytes = rules.bytes
      sites.weigh(origin)
      return rules
    } catch {
      // If something is wrong with the site, the page itself will show it.
      site.until = now() + failedLastsMs
      return noRules
    }
  }

  function begin(origin: string): Site {
    const site: Site = { rules: Promise.resolve(noRules), until: Number.POSITIVE_INFINITY, bytes: 0 }
    sites.set(origin, site)
    site.rules = read(origin, site)
    return site
  }

  return {
    async allows({ origin, pathname, search }) {
      const known = sites.peek(origin)
      const { rules } = known && known.until > now() ? known : begin(origin)
      return allows(await rules, pathname + search)
    },
    get bytes() {
      return sites.weight
    },
  }
}
