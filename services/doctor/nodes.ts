/** Are the nodes there, do they tell of the chain that is meant, and are they up to date? */
import { publicNode } from '../../pipelines/domains/payments/variables.ts'
import { type NetworkName, networks } from '../../schemas/tables/networks.ts'
import { callNode } from './asking.ts'
import { type Diagnosis, type Look, type Patient, reasonOf, says } from './diagnosis.ts'

/** What a node tells of itself. */
interface Told {
  chain: string
  /** The time of its newest block, in milliseconds. */
  newestAt: number | undefined
}

/** A newest block of this age is old on every network. */
const oldMs = 120_000
const longestChain = 32

async function evmNode(patient: Patient, url: string): Promise<Told> {
  const id = await callNode<string>(patient, url, 'eth_chainId')
  const block = await callNode<{ timestamp: string }>(patient, url, 'eth_getBlockByNumber', ['latest', false])
  return {
    chain: id ? `eip155:${Number(id)}` : '',
    newestAt: block ? Number(block.timestamp) * 1000 : undefined,
  }
}

async function svmNode(patient: Patient, url: string): Promise<Told> {
  const genesis = await callNode<string>(patient, url, 'getGenesisHash')
  const slot = await callNode<number>(patient, url, 'getSlot', [{ commitment: 'finalized' }])
  const seconds =
    slot === undefined ? undefined : await callNode<number>(patient, url, 'getBlockTime', [slot])
  return {
    chain: genesis ? `solana:${genesis.slice(0, longestChain)}` : '',
    newestAt: seconds ? seconds * 1000 : undefined,
  }
}

const say = says('nodes')
const asks = ['ingest', 'query', 'settle', 'canary'] as const

async function nodeOf(patient: Patient, name: NetworkName, url: string): Promise<Diagnosis> {
  const { title, caip2, family } = networks[name]
  const { host } = new URL(url)
  try {
    const { chain, newestAt } = await (family === 'evm' ? evmNode : svmNode)(patient, url)
    if (chain && chain !== caip2)
      return say('wrong', `${host} should be a node of ${title} (${caip2}), and tells of ${chain}`)
    // What reads a transaction asks each node for its chain first. Some providers of Solana keep theirs back, and nothing asks for it.
    if (!chain && family === 'evm')
      return say(
        'wrong',
        `${host} (${title}) does not know eth_chainId: nobody can tell which chain it is of`,
      )
    if (!chain || newestAt === undefined)
      return say('watch', `${host} (${title}) does not tell ${chain ? 'its newest block' : 'its chain'}`)
    const ageMs = patient.now() - newestAt
    if (ageMs > oldMs)
      return say(
        'wrong',
        `the newest block of ${host} (${title}) is ${Math.round(ageMs / 1000)} s old: the node is behind, or this clock is ahead`,
      )
    return say('well', `${host} is a node of ${title}, and up to date`)
  } catch (error) {
    return say('wrong', `${host} (${title}) does not answer as a node: ${reasonOf(error)}`)
  }
}

export const lookAtNodes: Look = async patient => {
  const { config } = patient
  if (!asks.some(role => config.ROLES.includes(role))) return []
  const found = config.NETWORKS.map(async name => {
    const urls = config[networks[name].rpc]
    const told = await Promise.all(urls.map(url => nodeOf(patient, name, url)))
    if (urls.includes(publicNode(networks[name].rpc, config.NETWORKS)))
      told.push(
        say('watch', `${networks[name].rpc} is a public node, which everybody shares: name one of your own`),
      )
    else if (urls.length < 2)
      told.push(say('watch', `${networks[name].rpc} names one node: a second one would confirm what it says`))
    return told
  })
  return (await Promise.all(found)).flat()
}
