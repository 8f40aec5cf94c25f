/** A wallet signs in (x402's sign-in-with-x): it signs a text that we have written, for one thing, for a few minutes, and once. */
import { randomBytes } from 'node:crypto'
import {
  checksummed,
  isSignedByEvm,
  isSignedByKey,
} from '../../../pipelines/domains/payments/evm/signed-text.ts'
import { isSignedBySolana } from '../../../pipelines/domains/payments/svm/signed-text.ts'
import { Bounded } from '../../../pipelines/rails/bounded.ts'
import { sha256 } from '../../../pipelines/rails/signing/sha256.ts'
import { isEvm, type NetworkName, networks } from '../../../schemas/tables/networks.ts'
import { instant } from '../../../schemas/values/values.ts'
import { type Info, isSame, readSignedIn, textOf } from '../../till/sale/proof.ts'

/** The life of a signed text. */
const lifeMs = 5 * 60_000
/** The clock of the wallet's owner may be ahead of ours. */
const aheadMs = 60_000
const mostUsed = 20_000
/** A contract's signature needs a node, which may be slow. */
const mostAtOnce = 4
const nonceForm = /^[0-9a-f]{32}$/

export interface SignedFor {
  network: NetworkName
  address: string
  /** The address of the route that asks. */
  url: string
  /** What the wallet says by signing. */
  statement: string
  /** What exactly it is for. */
  resource: string
}

interface SignInNeeds {
  now: () => number
  nodesOf: (network: NetworkName) => readonly string[]
  onError(error: unknown): void
}

export class SignIns {
  readonly #needs: SignInNeeds
  /** Each process remembers the texts that it has taken. */
  readonly #used = new Bounded<true>({ most: mostUsed })
  #underWay = 0

  constructor(needs: SignInNeeds) {
    this.#needs = needs
  }

  /** The text to sign, and its parts for the answer. */
  written({ network, address, url, statement, resource }: SignedFor) {
    const at = this.#needs.now()
    const { caip2 } = networks[network]
    const info: Info = {
      ...{
        domain: new URL(url).host,
        uri: url,
        statement,
        version: '1',
        nonce: randomBytes(16).toString('hex'),
      },
      ...{ issuedAt: instant(at), expirationTime: instant(at + lifeMs), resources: [resource] },
    }
    const own = isEvm(network) ? checksummed(address) : address
    const type = isEvm(network) ? 'eip191' : 'ed25519'
    return { text: textOf(info, own, caip2), sign_in: { ...info, address: own, chainId: caip2, type } }
  }

  /** Why this proof, base64 of JSON, does not sign the wallet in. Undefined: it does, this once. */
  async refusal(proof: string, wanted: SignedFor): Promise<string | undefined> {
    const said = readSignedIn(proof)
    if (!said) return 'sign_in_with_x is not base64 of a signed text'
    const { network, address, url, statement, resource } = wanted
    const { caip2 } = networks[network]
    const { issuedAt, expirationTime, nonce, signature } = said
    if (said.chainId !== caip2 || !isSame(caip2, said.address, address) || !nonceForm.test(nonce))
      return 'Another wallet has signed, or on another chain'
    const [at, issued] = [this.#needs.now(), Date.parse(issuedAt)]
    if (issued > at + aheadMs || at > issued + lifeMs || at > Date.parse(expirationTime))
      return 'The text was signed too long ago: ask for a new one'
    const info = {
      ...{ domain: new URL(url).host, uri: url, statement, version: '1', nonce, issuedAt, expirationTime },
      resources: [resource],
    }
    const text = textOf(info, said.address, caip2)
    if (!(await this.#isSigned(network, { address: said.address, text, signature })))
      return 'The signature is not that of this wallet over this text'
    const name = sha256(text)
    if (this.#used.peek(name)) return 'The text was used before: ask for a new one'
    this.#used.set(name, true)
    return undefined
  }

  async #isSigned(
    network: NetworkName,
    signed: { address: string; text: string; signature: string },
  ): Promise<boolean> {
    if (!isEvm(network)) return isSignedBySolana(signed.address, signed.text, signed.signature)
    const byKey = await isSignedByKey(signed)
    if (byKey !== undefined || this.#underWay >= mostAtOnce) return byKey ?? false
    this.#underWay++
    try {
      return await isSignedByEvm(signed, this.#needs.nodesOf(network))
    } catch (error) {
      // A contract's word needs a node. Without a node nobody can tell, and the payer may try again.
      this.#needs.onError(error)
      return false
    } finally {
      this.#underWay--
    }
  }
}
