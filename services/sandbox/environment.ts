/** Makes the environment of the sandbox: its own chains and its own facts, never real money. */
import { join } from 'node:path'
import { developmentKeys } from '../../pipelines/domains/attestation/development.ts'
import { searchUpstream } from '../../pipelines/lookups/search/upstream.ts'
import { ConfigError } from '../../pipelines/rails/environment/variables.ts'
import {
  canaryKeyVariables,
  facilitatorVariables,
  networks,
  payToVariables,
  refundKeyOf,
  refundKeyVariables,
  rpcVariables,
  settleKeyOf,
  settleKeyVariables,
} from '../../schemas/tables/networks.ts'
import { type Config, readConfig } from '../config/config.ts'
import { self, tokenVariables } from '../till/variables.ts'
import { signerKey, weighKey } from './keys.ts'
import { sandboxFolder } from './note.ts'
import type { PlayChain } from './play-chain.ts'
import type { Upstreams } from './upstreams.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The sandbox sets these variables itself. Other values could make it take real money, or write play money into real books. */
const own = [
  ...payToVariables,
  ...rpcVariables,
  ...settleKeyVariables,
  ...refundKeyVariables,
  ...canaryKeyVariables,
  ...facilitatorVariables,
  ...tokenVariables,
  ...['FACILITATOR_URL', 'FACILITATOR_TOKEN', 'CDP_API_KEY_ID', 'CDP_API_KEY_SECRET', 'LOG_URL', 'STORE_URL'],
]

/** Checks the environment before anything starts. */
export function wishes(env: Environment): Config {
  const foreign = own.filter(name => env[name] && !(name === 'FACILITATOR_URL' && env[name] === self))
  if (foreign.length)
    throw new ConfigError(
      `${foreign.join(', ')} ${foreign.length > 1 ? 'are' : 'is'} set; the sandbox uses play money and sets its own values: unset what you have set, or use npm run serve`,
    )
  return readConfig({ LOG_LEVEL: 'warn', ...env, DATA_DIR: sandboxFolder(env) })
}

/** A new chain of play money begins with a price that is high for Base. */
const playGwei = '10'

interface Parts {
  chains: readonly PlayChain[]
  upstreams: Pick<Upstreams, 'urls' | 'samples'>
  facilitatorUrls: readonly string[]
  /** The file of rules for refunds, unless the user has one. */
  refundRules?: string
  /** The authority that stamps attestations, and the file of its root. */
  timeAuthority?: { url: string; rootsFile: string } | undefined
}

export function sandboxConfig(
  env: Environment,
  { chains, upstreams, facilitatorUrls, refundRules, timeAuthority }: Parts,
): Config {
  const ofChains = chains.map(({ network, payTo, rpcUrl, settleKey, refundKey }) => {
    const variables = networks[network]
    const keys = env.FACILITATOR_URL && { [settleKeyOf(network)]: settleKey }
    return { [variables.payTo]: payTo, [variables.rpc]: rpcUrl, [refundKeyOf(network)]: refundKey, ...keys }
  })
  return readConfig({
    LOG_LEVEL: 'warn',
    ...env,
    ...Object.assign({}, ...ofChains),
    ...upstreams.urls,
    FACILITATOR_URL: env.FACILITATOR_URL || facilitatorUrls.join(','),
    SETTLE_MOST_GWEI: env.SETTLE_MOST_GWEI || playGwei,
    REFUND_MOST_GWEI: env.REFUND_MOST_GWEI || playGwei,
    REFUND_RULES: env.REFUND_RULES || refundRules,
    // The sample web search answers in this format.
    ...(upstreams.samples.has(searchUpstream.variable)
      ? { SEARCH_API: 'searxng', SEARCH_TOKEN: undefined }
      : {}),
    SIGNER_KEY: env.SIGNER_KEY || signerKey,
    ...attestEnvironment(env, timeAuthority),
    WEIGH_KEY: env.WEIGH_KEY || weighKey,
    DATA_DIR: join(sandboxFolder(env), factsFolder(upstreams.samples)),
  })
}

/** Attestations use the public development keys. The name of the keys says so in each attestation. */
const attestEnvironment = (env: Environment, authority: Parts['timeAuthority']): Environment => ({
  ATTEST_KEY: env.ATTEST_KEY || (env.ATTEST_KEY_FILE ? '' : developmentKeys.attest),
  ATTEST_LOG_KEY: env.ATTEST_LOG_KEY || developmentKeys.log,
  ...(!env.TSA_URLS && authority && { TSA_URLS: authority.url, TSA_ROOTS: authority.rootsFile }),
})

/** Facts from samples must never be sold as live ones later. So each mix of samples has its own folder. */
function factsFolder(samples: ReadonlySet<string>): string {
  const names = [...samples].map(name => name.replace('_URL', '').toLowerCase()).sort()
  return names.length ? `sample-${names.join('-')}` : 'live'
}
