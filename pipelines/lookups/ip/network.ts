/**
 * Finds the network of an address, and whether it belongs to a hosting company, a Tor exit or a relay, in files of
 * the operator.
 */
import type { IpAddress } from '../../../schemas/values/ip-address.ts'
import type { Lookup } from '../lookup.ts'
import { type Extras, type KnownNetwork, openExtras, stateOf } from './extras.ts'
import { extrasVariables } from './variables.ts'

export type { KnownNetwork } from './extras.ts'

interface Needs {
  /** The folder with the files. If absent, nothing is known about networks. */
  ipExtras?: string | undefined
}

/** The caller's question is recorded nowhere. */
export const networkLookup: Lookup<IpAddress, KnownNetwork, Needs> = {
  name: 'network',
  timeoutMs: 1_000,
  variables: [extrasVariables],
  needs: ({ read }) => read(extrasVariables),
  open({ ipExtras }) {
    let opened: { state: string; extras: Extras } | undefined
    return {
      prepare: {
        schedule: '* * * * *',
        timeoutMs: 300_000,
        async run() {
          if (ipExtras === undefined) return
          const state = await stateOf(ipExtras)
          if (state !== opened?.state) opened = { state, extras: await openExtras(ipExtras) }
        },
      },
      find: async address => opened?.extras.find(address),
    }
  },
}
