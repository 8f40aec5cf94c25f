/** The common first fields of an event in both feeds of the FAA. */
import type { AirportEvent } from '../../../schemas/airport-events.ts'
import { durationMinutes } from './times.ts'

export const blankEvent = (type: AirportEvent['type'], reason: string | null): AirportEvent => ({
  type,
  reason,
  average_delay: null,
  min_delay: null,
  max_delay: null,
  trend: null,
  starts_at: null,
  ends_at: null,
  start_text: null,
  end_text: null,
  end_estimated: false,
  hours: [],
  affects_airline_flights: true,
  shuts: 'nothing',
})

/** If there is a delay, a longest delay of "0 minutes" means that nobody filled it in. */
export const longest = (max: string | null, other: string | null): string | null =>
  max && other && durationMinutes(max) === 0 && durationMinutes(other) > 0 ? null : max
