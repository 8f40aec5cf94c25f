/** What surrounds a stack: play-money chains, facilitators and upstreams on this machine, at addresses that containers reach. */
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { developmentKeys } from '../../../pipelines/domains/attestation/development.ts'
import { networks } from '../../../schemas/tables/networks.ts'
import { readConfig } from '../../../services/config/config.ts'
import { startChains } from '../../../services/sandbox/chains.ts'
import { signerKey, weighKey } from '../../../services/sandbox/keys.ts'
import { layMarkets } from '../../../services/sandbox/markets.ts'
import type { PlayChain } from '../../../services/sandbox/play-chain.ts'
import { startFacilitators } from '../../../services/sandbox/two-facilitators.ts'
import { startUpstreams } from '../../../services/sandbox/upstreams.ts'

export interface World {
  chains: readonly PlayChain[]
  /** The variables of a deployment in it. */
  environment: Readonly<Record<string, string>>
  close(): Promise<void>
}

/** The name of this machine in every container. */
export const worldHost = 'world'

export async function openWorld(): Promise<World> {
  const chains = await startChains(['base', 'solana'])
  await layMarkets(chains)
  const upstreams = await startUpstreams(readConfig({}).upstreams, {}, { live: async () => false })
  const facilitators = await startFacilitators(chains)
  const doors: Server[] = []
  const outside = async (url: string) => {
    const { port, pathname } = new URL(url)
    const door = await openDoor(Number(port))
    doors.push(door)
    return `http://${worldHost}:${(door.address() as AddressInfo).port}${pathname === '/' ? '' : pathname}`
  }
  const ofChains = await Promise.all(
    chains.map(async ({ network, payTo, rpcUrl }) => [
      [networks[network].payTo, payTo],
      [networks[network].rpc, await outside(rpcUrl)],
    ]),
  )
  const ofUpstreams = await Promise.all(
    Object.entries(upstreams.urls).map(async ([name, url]) => [name, await outside(url)]),
  )
  return {
    chains,
    environment: {
      ...Object.fromEntries([...ofChains.flat(), ...ofUpstreams]),
      FACILITATOR_URL: (await Promise.all(facilitators.urls.map(outside))).join(','),
      SEARCH_API: 'searxng',
      SIGNER_KEY: signerKey,
      WEIGH_KEY: weighKey,
      ATTEST_KEY: developmentKeys.attest,
      ATTEST_LOG_KEY: developmentKeys.log,
    },
    async close() {
      for (const door of doors) door.close()
      await Promise.all([...chains, upstreams, facilitators].map(each => each.close()))
    },
  }
}

/** Everything in the world listens on loopback alone. A door lets the containers of this machine in. */
async function openDoor(port: number): Promise<Server> {
  const door = createServer(socket => {
    const within = connect(port, '127.0.0.1')
    for (const end of [socket, within]) end.on('error', () => socket.destroy() && within.destroy())
    socket.pipe(within).pipe(socket)
  })
  await new Promise<void>((resolve, reject) => {
    door.once('error', reject).listen(0, '0.0.0.0', resolve)
  })
  return door
}
