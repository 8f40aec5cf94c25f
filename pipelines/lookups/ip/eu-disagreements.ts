/** Answers take EU membership from our own list. Where the database disagrees, one of the two is out of date. */
import { setImmediate } from 'node:timers/promises'
import { inEu } from '../../../schemas/tables/countries.ts'
import { ipAddress } from '../../../schemas/values/ip-address.ts'
import type { IpDatabase } from './database.ts'
import { countryCodeOf } from './place.ts'

const samples = 2 ** 14
const atOnce = 512

/** Yields the countries on which they disagree. It checks an address in every /14 of IPv4. */
export async function* euDisagreements(database: IpDatabase): AsyncGenerator<string> {
  const found = new Set<string>()
  for (let n = 0; n < samples; n++) {
    if (n % atOnce === 0) await setImmediate()
    const record = database.record(ipAddress(4, (BigInt(n) << 18n) + 1n))
    const code = record && countryCodeOf(record)
    const flag = record?.country?.is_in_european_union
    if (code === undefined || flag === undefined || flag === inEu(code) || found.has(code)) continue
    found.add(code)
    yield code
  }
}
