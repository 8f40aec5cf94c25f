/**
 * Reads the robots.txt of a site. A page that somebody's agent asks for is a person's visit, so only a group that names
 * Farebox binds us.
 */
import robotsParser from 'robots-parser'
import type { PublicFetch } from '../public-fetch/visit.ts'

export interface Robots {
  /** False: the site names us and does not want this page read. */
  allows(url: URL): Promise<boolean>
}

/** Its own types miss that it is CommonJS. */
const parse = robotsParser as unknown as (
  url: string,
  text: string,
) => { isAllowed(url: string, name: string): boolean | undefined }

const name = 'Farebox'
const namesUs = /^\s*user-agent\s*:\s*farebox\b/im
const lastsMs = 24 * 60 * 60_000
/** A site whose robots.txt could not be read is asked again sooner. */
const failedLastsMs = 10 * 60_000
const most = 5_000
const limits = { maxBytes: 512 << 10, beyond: 'cut', firstByteMs: 3_000, totalMs: 4_000 } as const

interface Rules {
  until: number
  isAllowed(url: string): boolean
}

export function openRobots(visits: PublicFetch, now: () => number): Robots {
  const known = new Map<string, Promise<Rules>>()

  async function read(origin: string): Promise<Rules> {
    const address = `${origin}/robots.txt`
    const free = { isAllowed: () => true }
    try {
      const { status, bytes } = await visits.visit(address, limits)
      const text = status === 200 ? bytes.toString('utf8') : ''
      const until = now() + (status < 500 ? lastsMs : failedLastsMs)
      if (!namesUs.test(text)) return { until, ...free }
      const rules = parse(address, text)
      return { until, isAllowed: url => rules.isAllowed(url, name) !== false }
    } catch {
      // Whatever is wrong with the site, the page itself will show it.
      return { until: now() + failedLastsMs, ...free }
    }
  }

  return {
    async allows({ origin, href }) {
      let rules = await known.get(origin)
      if (!rules || rules.until <= now()) {
        const reading = read(origin)
        known.delete(origin)
        known.set(origin, reading)
        if (known.size > most) known.delete(known.keys().next().value as string)
        rules = await reading
      }
      return rules.isAllowed(href)
    },
  }
}
