/** The canary of the sandbox: a process of its own that buys with play money, as the customers of the sandbox do. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Running } from '../../pipelines/rails/running.ts'
import { addressOfKey } from '../../pipelines/rails/signing/eip712.ts'
import { canaryKeyOf, networks } from '../../schemas/tables/networks.ts'
import { environmentOfProcess } from '../config/process-environment.ts'
import { signerKey } from './keys.ts'
import { leash } from './leash.ts'
import type { Sandbox } from './sandbox.ts'

const everyMinutes = '2'
/** Two networks, each two minutes, at the price of the operation. */
const aDay = '10'
const program = fileURLToPath(new URL('../main.ts', import.meta.url))

type Environment = Readonly<Record<string, string | undefined>>

export function startPlayCanary(
  { service, origins, chains, folder, logUrl }: Sandbox,
  env: Environment,
): Running {
  const ofChains = chains.map(({ network, rpcUrl, payTo, canaryKey }) => ({
    [canaryKeyOf(network)]: canaryKey,
    [networks[network].rpc]: rpcUrl,
    [networks[network].payTo]: payTo,
  }))
  const { stdout, ...running } = leash(process.execPath, [program], {
    ...(({ PATH, HOME, TMPDIR }) => ({ PATH, HOME, TMPDIR }))(environmentOfProcess()),
    ...Object.assign({}, ...ofChains),
    ...{ ROLES: 'canary', PORT: '0', LOG_LEVEL: 'warn', LOG_URL: logUrl, DATA_DIR: join(folder, 'canary') },
    NETWORKS: chains.map(({ network }) => network).join(','),
    CANARY_URL: service.url,
    PUBLIC_URL: origins[0]?.url,
    CANARY_SIGNER: addressOfKey(env.SIGNER_KEY?.split(',')[0] || signerKey),
    CANARY_EVERY_MINUTES: env.CANARY_EVERY_MINUTES || everyMinutes,
    CANARY_USDC_A_DAY: env.CANARY_USDC_A_DAY || aDay,
    CANARY_CALL: env.CANARY_CALL,
  })
  stdout.pipe(process.stdout)
  return running
}
