/** Many street addresses in one payment. */
import { batchOf } from 'farebox'
import { geocode } from './geocode.ts'

export const geocodeBatch = batchOf(geocode, {
  id: 'geocodeAddresses',
  path: '/geocode/batch',
  price: '0.05',
  title: 'Where up to 100 US addresses are',
  about:
    'Coordinates, county and census tract of US street addresses. A slow geocoder leaves some unanswered: ask again.',
})
