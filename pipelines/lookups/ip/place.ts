/** What a database knows of an address, out of either shape in which DB-IP City Lite is published. */
import { continentNames, continentOf, countryName } from '../../../schemas/countries.ts'

export interface Place {
  country: { code: string; name: string | null } | null
  region: string | null
  city: string | null
  continent: { code: string; name: string | null } | null
  latitude: number | null
  longitude: number | null
  /** The edition that says so. */
  database: string
}

interface Named {
  names?: { en?: string }
}

/** DB-IP's own file nests as the databases of the field do; the repackaged pair of files is flat. Any part may lack. */
export interface IpRecord {
  city?: Named | string
  continent?: Named & { code?: string }
  country?: Named & { iso_code?: string; is_in_european_union?: boolean }
  subdivisions?: Named[]
  location?: { latitude?: number; longitude?: number }
  country_code?: string
  state1?: string
  latitude?: number
  longitude?: number
}

/** ZZ is how a database spells "nobody knows". */
export const countryCodeOf = (record: IpRecord): string | undefined => {
  const code = record.country?.iso_code || record.country_code
  return code === 'ZZ' ? undefined : code || undefined
}

/** undefined when not even the country is known: there is nothing of value in it. */
export function placeOf(record: IpRecord, database: string): Place | undefined {
  const code = countryCodeOf(record)
  const city = (typeof record.city === 'string' ? record.city : record.city?.names?.en) || null
  const region = record.subdivisions?.[0]?.names?.en || record.state1 || null
  if (!code && !city && !region) return undefined
  return {
    country: code ? { code, name: record.country?.names?.en || countryName(code) || null } : null,
    region,
    city,
    continent: continent(record, code),
    ...coordinates(record, city),
    database,
  }
}

function continent(record: IpRecord, country: string | undefined): Place['continent'] {
  const code = record.continent?.code || (country && continentOf(country))
  return code ? { code, name: record.continent?.names?.en || continentNames[code] || null } : null
}

/** 0,0 is in the sea: without a city it is a database's way to say nothing. */
function coordinates(record: IpRecord, city: string | null): Pick<Place, 'latitude' | 'longitude'> {
  const { latitude, longitude } = record.location ?? record
  const nowhere = latitude === 0 && longitude === 0 && city === null
  if (latitude === undefined || longitude === undefined || nowhere) return { latitude: null, longitude: null }
  return { latitude: withoutNoise(latitude), longitude: withoutNoise(longitude) }
}

/** A 32-bit float read as a 64-bit one drags noise behind it: 37.422 comes as 37.422000885009766. */
function withoutNoise(number: number): number {
  if (Math.fround(number) !== number) return number
  for (let digits = 5; digits < 9; digits++) {
    const short = Number(number.toPrecision(digits))
    if (Math.fround(short) === number) return short
  }
  return number
}
