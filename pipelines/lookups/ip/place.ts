/** Reads a database record for an address. DB-IP City Lite is published in two shapes. */
import { continentNames, continentOf, countryName, onlyTimeZone } from '../../../schemas/tables/countries.ts'
import { timeZoneOfState } from '../../../schemas/tables/us-states.ts'

export interface IpPlace {
  country: { code: string; name: string | null } | null
  region: string | null
  city: string | null
  continent: { code: string; name: string | null } | null
  latitude: number | null
  longitude: number | null
  timeZone: string | null
  /** The title of the database. */
  database: string
}

interface Named {
  names?: { en?: string }
}

/** DB-IP's own file is nested like other IP databases; the repackaged pair of files is flat. Any part may be missing. */
export interface IpRecord {
  city?: Named | string
  continent?: Named & { code?: string }
  country?: Named & { iso_code?: string; is_in_european_union?: boolean }
  subdivisions?: Named[]
  location?: { latitude?: number; longitude?: number; time_zone?: string }
  timezone?: string
  country_code?: string
  state1?: string
  latitude?: number
  longitude?: number
}

/** A database writes ZZ for "nobody knows". */
export const countryCodeOf = (record: IpRecord): string | undefined => {
  const code = record.country?.iso_code || record.country_code
  return code === 'ZZ' ? undefined : code || undefined
}

/** Undefined if not even the country is known. Such a record is useless. */
export function placeOf(record: IpRecord, database: string): IpPlace | undefined {
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
    timeZone: record.location?.time_zone || record.timezone || (code && timeZone(code, region)) || null,
    database,
  }
}

const timeZone = (country: string, region: string | null): string | undefined =>
  country === 'US' ? timeZoneOfState(region ?? '') : onlyTimeZone(country)

function continent(record: IpRecord, country: string | undefined): IpPlace['continent'] {
  const code = record.continent?.code || (country && continentOf(country))
  return code ? { code, name: record.continent?.names?.en || continentNames[code] || null } : null
}

/** 0,0 is in the sea. Without a city it means that the database does not know the place. */
function coordinates(record: IpRecord, city: string | null): Pick<IpPlace, 'latitude' | 'longitude'> {
  const { latitude, longitude } = record.location ?? record
  const nowhere = latitude === 0 && longitude === 0 && city === null
  if (latitude === undefined || longitude === undefined || nowhere) return { latitude: null, longitude: null }
  return { latitude: withoutNoise(latitude), longitude: withoutNoise(longitude) }
}

/** A 32-bit float that is read as a 64-bit float gets noise: 37.422 becomes 37.422000885009766. */
function withoutNoise(number: number): number {
  if (Math.fround(number) !== number) return number
  for (let digits = 5; digits < 9; digits++) {
    const short = Number(number.toPrecision(digits))
    if (Math.fround(short) === number) return short
  }
  return number
}
