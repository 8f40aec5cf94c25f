/** Where an address is, by DB-IP City Lite in memory. What was asked leaves no trace. */
import type { IpAddress } from '../../schemas/ip-address.ts'
import { NotReady } from '../failures.ts'
import type { Place } from './ip/place.ts'
import { IpUpkeep, type Publishing } from './ip/upkeep.ts'
import type { Lookup } from './lookup.ts'

const live: Publishing = { downloadUrl: 'https://download.db-ip.com/free', npm: 'npm' }

export function createIpLookup(publishing: Partial<Publishing> = {}): Lookup<IpAddress, Place> {
  const upkeep = new IpUpkeep({ ...live, ...publishing })
  return {
    name: 'ip',
    timeoutMs: 1_000,
    // Every minute, for an operator's file that changed; whether a fetch is due is decided by the file's age.
    prepare: { schedule: '* * * * *', timeoutMs: 900_000, run: outside => upkeep.run(outside) },
    ready: () => upkeep.database !== undefined,
    async find(address) {
      if (!upkeep.database) throw new NotReady('the IP database is not loaded yet')
      return upkeep.database.find(address)
    },
  }
}

export const ipLookup = createIpLookup()
