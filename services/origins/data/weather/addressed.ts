/** Where an address lies: a ZIP or a city is known at once, a street address is asked of the Census Bureau. */

import { placesNotice, statesOf, usPlace } from '../../../../pipelines/lookups/geocode/us-places.ts'
import { geocodeLookup } from '../../../../pipelines/lookups/geocode.ts'
import { number } from '../../../offer/answer.ts'
import type { Tools } from '../../../offer/operation.ts'
import { censusNotice, whyNoMatch } from '../geocoded.ts'

interface Read {
  city: string | null
  state: string | null
  matched_address: string
  /** Decimal text. */
  lat: string
  lon: string
}

/** `geocoded` says how the address was read. */
function told({ city, state, matched_address, ...at }: Read, input: string, notice: string) {
  const [lat, lon] = [number(at.lat), number(at.lon)]
  return {
    at: { lat: Number(at.lat), lon: Number(at.lon) },
    location: { city, state, lat, lon },
    geocoded: { input, matched_address, lat, lon, notice },
  }
}

export async function addressed(
  address: string,
  tools: Pick<Tools, 'find' | 'isSample'>,
  refuse: (code: 'no_match', message: string) => never,
): Promise<ReturnType<typeof told>> {
  const place = usPlace(address)
  if (place) {
    const { city, state, name: matched_address } = place
    const at = { lat: String(place.lat), lon: String(place.lon) }
    return told({ city, state, matched_address, ...at }, address, placesNotice)
  }
  const states = statesOf(address)
  if (states.length)
    return refuse(
      'no_match',
      `${address} is a city in ${states.join(', ')}: send it with its state, such as "${address}, ${states[0]}"`,
    )
  const geocoded = await tools.find(geocodeLookup, address)
  const [match] = geocoded?.matches ?? []
  if (!match) return refuse('no_match', whyNoMatch(geocoded?.hint, tools))
  return told(match, address, censusNotice)
}
