/**
 * Polls the airport status of the FAA once a minute.
 * A poll writes the whole state of each airport that is or was named.
 */
import { type AirportState, airportEvents, theFeed } from '../../schemas/airport-events.ts'
import { instant } from '../../schemas/values.ts'
import type { Validators } from '../outside/outside.ts'
import { readDocument } from './faa/document.ts'
import { faaUpstream, statusPath } from './faa/upstream.ts'
import { emit, type Source } from './source.ts'

interface Cursor {
  airports: string[]
  validators: Validators
}

export const faa: Source<Cursor> = {
  name: 'faa',
  upstreams: [faaUpstream],
  schedule: '* * * * *',
  timeoutMs: 20_000,
  silentAfterMs: 5 * 60_000,

  async *pull(cursor, outside) {
    const answer = await outside.get(faaUpstream, statusPath, {
      accept: 'application/xml,text/xml,*/*',
      maxBytes: 1_000_000,
      validators: cursor?.validators,
    })
    if (answer.unchanged) return
    const document = readDocument(answer.text(), answer.from, outside.now())
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
      cursor: { airports, validators: answer.validators },
    }
  },
}
