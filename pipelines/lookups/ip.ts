/** Finds the place of an IP address in DB-IP City Lite, in memory. The question leaves no trace. */
import type { IpAddress } from '../../schemas/values/ip-address.ts'
import { NotReady } from '../rails/failures.ts'
import type { IpPlace } from './ip/place.ts'
import { IpUpkeep, type IpUpkeepOptions } from './ip/upkeep.ts'
import { dbIp } from './ip/upstream.ts'
import { databaseVariables } from './ip/variables.ts'
import type { Lookup } from './lookup.ts'

export { type KnownNetwork, networkLookup } from './ip/network.ts'

export const ipLookup: Lookup<IpAddress, IpPlace, IpUpkeepOptions> = {
  name: 'ip',
  timeoutMs: 1_000,
  upstream: dbIp,
  variables: [databaseVariables],
  needs: ({ dataDir, read }) => ({ dataDir, ...read(databaseVariables) }),
  open(options) {
    const upkeep = new IpUpkeep(options)
    return {
      // It runs every minute to see whether an operator's file has changed. The age of the file decides whether to fetch.
      prepare: { schedule: '* * * * *', timeoutMs: 900_000, run: outside => upkeep.run(outside) },
      ready: () => upkeep.database !== undefined,
      async find(address) {
        if (!upkeep.database) throw new NotReady('the IP database is not loaded yet')
        return upkeep.database.find(address)
      },
    }
  },
}
