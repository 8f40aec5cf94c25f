/**
 * Polls the airport status of the FAA once a minute. A poll writes the whole state of each airport that is or was in
 * the feed.
 */
import { type AirportState, airportEvents, theFeed } from '../../schemas/airport-events.ts'
import { instant } from '../../schemas/values/values.ts'
import type { Validators } from '../rails/outside/upstreams/outside.ts'
import { readFeeds } from './faa/feeds.ts'
import { faaUpstream, oldFaaUpstream } from './faa/upstream.ts'
import { emit, type Source } from './source.ts'

interface Cursor {
  airports: string[]
  validators: Validators
}

export const faa: Source<Cursor> = {
  name: 'faa',
  upstreams: [faaUpstream, oldFaaUpstream],
  writes: [airportEvents],
  schedule: '* * * * *',
  timeoutMs: 30_000,
  silentAfterMs: 5 * 60_000,

  async *pull(cursor, outside) {
    const read = await readFeeds(outside, cursor?.validators)
    if (!read) return
    const { document, validators, missed } = read
    const airports = [...document.airports.keys()].sort()
    const row: Omit<AirportState, 'airport' | 'events'> = {
      feed_updated: instant(document.updated ?? outside.now()),
      dated: document.updated !== undefined,
      airports: [],
      airspace_programs: 0,
      unread_lists: [],
    }
    const states = [...new Set([...airports, ...(cursor?.airports ?? [])])].map(airport => ({
      ...row,
      airport,
      events: document.airports.get(airport) ?? [],
    }))
    const feed = {
      ...row,
      airport: theFeed,
      events: [],
      airports,
      airspace_programs: document.airspacePrograms,
      unread_lists: document.unreadLists,
    }
    yield {
      events: [...states, feed].map(state => emit(airportEvents, state)),
      cursor: { airports, validators },
      missed,
      drift: document.drift,
    }
  },
}
