/** A stand-in for nasstatus.faa.gov on loopback, with bodies in the live form. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createOutside } from '../../../pipelines/rails/outside/upstreams/open-outside.ts'
import { faa } from '../../../pipelines/sources/faa.ts'
import { type AirportState, theFeed } from '../../../schemas/airport-events.ts'

export const busyJson = readFileSync(new URL('../../recorded/faa/busy.json', import.meta.url), 'utf8')
export const busy = readFileSync(new URL('../../recorded/faa/busy.xml', import.meta.url), 'utf8')

/** Makes a document in the live form. `updated` is ISO text. Undefined: the document has no time. */
export function faaXml(updated: string | undefined, ...lists: string[]): string {
  const [weekday, day, month, year, clock] = updated
    ? new Date(updated).toUTCString().replace(',', '').split(' ')
    : []
  const time = updated
    ? `<Update_Time>${weekday} ${month} ${Number(day)} ${clock} ${year} GMT</Update_Time>`
    : ''
  const types = lists.map(list => `<Delay_type><Name>Any</Name>${list}</Delay_type>`).join('')
  return `<AIRPORT_STATUS_INFORMATION>${time}<Dtd_File>http://www.fly.faa.gov/AirportStatus.dtd</Dtd_File>${types}</AIRPORT_STATUS_INFORMATION>`
}

const tag = (name: string, text: string | undefined) =>
  text === undefined ? '' : `<${name}>${text}</${name}>`

export const closure = (airport: string, reason: string, start?: string, reopen?: string): string =>
  `<Airport_Closure_List><Airport><ARPT>${airport}</ARPT><Reason>${reason}</Reason>${tag('Start', start)}${tag('Reopen', reopen)}</Airport></Airport_Closure_List>`

export const groundStop = (airport: string, end?: string): string =>
  `<Ground_Stop_List><Program><ARPT>${airport}</ARPT><Reason>thunderstorms</Reason>${tag('End_Time', end)}</Program></Ground_Stop_List>`

export const groundDelay = (airport: string, average: string, max: string): string =>
  `<Ground_Delay_List><Ground_Delay><ARPT>${airport}</ARPT><Reason>wind</Reason><Avg>${average}</Avg><Max>${max}</Max></Ground_Delay></Ground_Delay_List>`

type Cursor = Parameters<typeof faa.pull>[0]

/** The answers of each feed. Undefined if it is down. */
export interface Feeds {
  xml?: string | undefined
  json?: string | undefined
  old?: string | undefined
}

const feedPaths: Record<string, keyof Feeds> = {
  '/api/airport-status-information': 'xml',
  '/api/airport-events': 'json',
  '/flyfaa/xmlAirportStatus.jsp': 'old',
}

/** Polls one XML document as the runner does. */
export const poll = (xml: string, now: string, cursor?: Cursor, etag?: string) =>
  pollFeeds({ xml, json: '[]' }, now, cursor, etag)

/** Returns the states, the missed feeds, and the cursor, which goes through JSON as in the log. */
export async function pollFeeds(feeds: Feeds, now: string, cursor?: Cursor, etag?: string) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    asked.push(path)
    const body = feeds[feedPaths[path] as keyof Feeds]
    const same = etag !== undefined && request.headers['if-none-match'] === etag
    const status = body === undefined ? 503 : same ? 304 : 200
    response.writeHead(status, etag ? { etag } : {}).end(status === 200 ? body : undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const outside = createOutside({
      at: { FAA_URL: url, FAA_OLD_URL: url },
      contact: 'test',
      now: () => Date.parse(now),
    })(new AbortController().signal)
    const states: AirportState[] = []
    const missed: string[] = []
    const drift: string[] = []
    let next = cursor
    for await (const page of faa.pull(cursor, outside, {})) {
      states.push(...page.events.map(({ event }) => event as AirportState))
      drift.push(...(page.drift ?? []).map(({ kind, what }) => `${kind} ${what}`))
      missed.push(...(page.missed ?? []).map(({ feed }) => feed))
      next = JSON.parse(JSON.stringify(page.cursor))
    }
    return { states, cursor: next, asked, missed, drift }
  } finally {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
}

/** The events of one airport in one document. */
export async function readAirport(body: string, now: string, airport: string) {
  const { states } = await poll(body, now)
  return states.find(state => state.airport === airport)?.events ?? []
}

export const feedOf = (states: readonly AirportState[]) =>
  states.find(state => state.airport === theFeed) as AirportState
