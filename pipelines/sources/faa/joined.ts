/** Joins the two feeds of the FAA. The XML leads; the JSON adds what the XML leaves out. */
import type { AirportEvent } from '../../../schemas/airport-events.ts'
import type { FaaDocument } from './document.ts'
import type { FaaEvents } from './events-feed.ts'

/** Undefined if there is too little to tell the state of the airports. */
export function joined(xml: FaaDocument | undefined, events: FaaEvents | undefined): FaaDocument | undefined {
  if (!events) return xml
  const { airports: json } = events
  const drift = events.drift.map(one => ({ ...one, what: `json.${one.what}` }))
  // The JSON has no time. An empty list alone may be a broken feed and not a quiet day.
  if (!xml && json.size === 0) return undefined
  if (!xml) return { updated: undefined, airports: json, airspacePrograms: 0, unreadLists: [], drift }
  const names = new Set([...xml.airports.keys(), ...json.keys()])
  const airports = [...names].map(
    name => [name, eventsOf(xml.airports.get(name) ?? [], json.get(name) ?? [])] as const,
  )
  return { ...xml, airports: new Map(airports), drift: [...xml.drift, ...drift] }
}

function eventsOf(led: readonly AirportEvent[], more: readonly AirportEvent[]): AirportEvent[] {
  const left = new Set(more)
  const filled = led.map(event => {
    const same = [...left].find(other => isSame(event, other))
    if (!same) return event
    left.delete(same)
    return filledFrom(event, same)
  })
  return [...filled, ...left]
}

/** An airport has at most one program or delay of a kind, but may have several closures. */
const isSame = (a: AirportEvent, b: AirportEvent): boolean =>
  a.type === b.type && (a.type !== 'closure' || notamOf(a) === notamOf(b))

/** Names a closure by its NOTAM, as in "!LAX 05/277", or by its words if it has none. */
function notamOf({ reason }: AirportEvent): string | null {
  const [, notam] = /!?\b([A-Z0-9]{3,4} \d{1,2}\/\d{1,4})\b/.exec(reason ?? '') ?? []
  return notam ?? reason
}

function filledFrom(event: AirportEvent, other: AirportEvent): AirportEvent {
  const filled = {
    ...event,
    average_delay: event.average_delay ?? other.average_delay,
    min_delay: event.min_delay ?? other.min_delay,
    max_delay: event.max_delay ?? other.max_delay,
    trend: event.trend ?? other.trend,
  }
  // The times of a NOTAM belong together: a permanent closure has a start and no end.
  if (event.type === 'closure' && (event.starts_at || event.ends_at)) return filled
  const starts_at = event.starts_at ?? other.starts_at
  const ends_at = event.ends_at ?? other.ends_at
  return {
    ...filled,
    starts_at,
    ends_at,
    start_text: starts_at ? null : event.start_text,
    end_text: ends_at ? null : event.end_text,
  }
}
