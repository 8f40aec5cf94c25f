/**
 * Asks a second node for the accounts that the first has shown, so that one node that lies or errs sells no wrong number. A node
 * shows its newest slot alone, so the two may be some slots apart: an account that differs then is asked of both once more.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { chains } from '../../../../schemas/tables/chains.ts'
import { type ChainRefused, isRefused, type NodesDisagree, type SeenAt } from '../reader.ts'
import { lookAt } from './look.ts'
import type { SvmNodes } from './nodes.ts'
import { type SvmAccount, type SvmShown, SvmWitness, type SvmWitnessed } from './witness.ts'

/** Longer than this nobody waits for the second node. */
const patienceMs = 2500
/** The second node may be a slot behind. */
const pauseMs = 400

export async function confirmed<Answer extends SeenAt | ChainRefused<string>>(
  nodes: SvmNodes,
  read: (nodes: SvmNodes) => Promise<Answer>,
  again = 1,
): Promise<Answer | NodesDisagree> {
  const witness = new SvmWitness()
  const answer = await read({ ...nodes, witness })
  const [first] = witness.parts
  const other = first && nodes.otherThan(first.url)
  if (isRefused(answer) || !first || !other) return answer
  const waiting = new AbortController()
  const told = await Promise.race([
    Promise.all(witness.parts.map(part => toldBy(nodes, other, part))),
    sleep(patienceMs, undefined, { signal: waiting.signal }).catch(() => undefined),
  ])
  waiting.abort()
  const source = new URL(other).hostname
  if (told?.includes(false)) return disagree(nodes, `of slot ${first.slot}`, first.source, source)
  // What has changed in between is read anew, so that nothing old is sold.
  if (told?.includes('changed') && again > 0) return confirmed(nodes, read, again - 1)
  const isTold = told?.every(each => each === true) && !witness.isUnlisted && !witness.isCut
  return { ...answer, confirmed_by: isTold ? source : null }
}

export const disagree = ({ chain }: SvmNodes, what: string, one: string, other: string): NodesDisagree => ({
  refused: 'nodes_disagree',
  because: `Two nodes of ${chains[chain].title} give different answers ${what}: ${one} and ${other}`,
})

/** Whether the second node shows the same, or an account has changed in between. Undefined if nobody can tell. */
async function toldBy(
  nodes: SvmNodes,
  other: string,
  part: SvmWitnessed,
): Promise<boolean | 'changed' | undefined> {
  // The first node has overtaken another one meanwhile: that one is not the second.
  if (part.url === other) return undefined
  const at = await patiently(() => lookAt(nodes, other, part.addresses, part.slot))
  if (!at) return undefined
  const differing = differingIn(part, at)
  if (differing.length === 0) return true
  if (at.slot === part.slot) return false
  // What changes with each slot differs for an honest reason.
  if (part.areHot) return undefined
  const [first, second] = await Promise.all(
    [part.url, other].map(url => patiently(() => lookAt(nodes, url, differing, at.slot))),
  )
  if (!first || !second) return undefined
  return differing.some(address => contradict(address, [part, first], [at, second])) ? false : 'changed'
}

async function patiently<T>(look: () => Promise<T>): Promise<T | undefined> {
  for (let left = 2; left > 0; left--) {
    try {
      return await look()
    } catch {
      // The world fails, or the second node is behind: it is asked once more.
      if (left > 1) await sleep(pauseMs)
    }
  }
  return undefined
}

type Two = readonly [earlier: SvmShown, later: SvmShown]

/** One says that the account has not changed, and between its two slots the other shows another one. Or they share a slot. */
function contradict(address: string, one: Two, two: Two): boolean {
  const isSame = (a: SvmShown, b: SvmShown): boolean =>
    areEqual(a.accounts.get(address), b.accounts.get(address))
  const between = (stays: Two, at: SvmShown): boolean =>
    isSame(...stays) && stays[0].slot <= at.slot && at.slot <= stays[1].slot && !isSame(stays[0], at)
  const meets = one.some(a => two.some(b => a.slot === b.slot && !isSame(a, b)))
  return meets || two.some(at => between(one, at)) || one.some(at => between(two, at))
}

const differingIn = (one: SvmShown, other: SvmShown): string[] =>
  one.addresses.filter(address => !areEqual(one.accounts.get(address), other.accounts.get(address)))

const areEqual = (one: SvmAccount | undefined, other: SvmAccount | undefined): boolean =>
  one === undefined || other === undefined
    ? one === other
    : one.program === other.program &&
      one.lamports === other.lamports &&
      one.executable === other.executable &&
      Buffer.compare(one.data.data, other.data.data) === 0
