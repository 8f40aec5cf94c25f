/** A play-money Solana: a Solana VM in this process. The clock makes its blocks, and USDC is at its real mint. */
import { createHash } from 'node:crypto'
import {
  type Address,
  address,
  getBase58Decoder,
  getSignatureFromTransaction,
  type Transaction,
} from '@solana/kit'
import { Clock, FailedTransactionMetadata, LiteSVM } from 'litesvm'
import { networks, type SvmNetworkName } from '../../schemas/tables/networks.ts'
import {
  mintData,
  tokenAmount,
  tokenBytes,
  tokenData,
  tokenProgram,
  usdcAccount,
  withTokenAmount,
} from './solana-token.ts'
import {
  type AccountHeld,
  type Landed,
  messageHash,
  messageOf,
  outcome,
  type TransactionOutcome,
} from './solana-transaction.ts'

const slotMs = 400
const firstSlot = 100_000_000n
/** In blocks, as on mainnet: about a minute. */
const blockhashLife = 150n
const slotsInEpoch = 432_000n
const clockAccount = address('SysvarC1ock11111111111111111111111111111111')

export class SolanaChain {
  readonly mint: Address
  /** Newest first. */
  readonly landed: Landed[] = []
  readonly #svm = new LiteSVM().withBlockhashCheck(false)
  readonly #now: () => number
  readonly #bornMs: number
  readonly #issued = new Map<string, bigint>()
  readonly #messages = new Set<string>()

  constructor(network: SvmNetworkName, now: () => number) {
    this.mint = address(networks[network].asset)
    this.#now = now
    this.#bornMs = now()
    this.#put(this.mint, mintData(), tokenProgram)
  }

  /** Every start makes a new chain. */
  get genesisHash(): string {
    return getBase58Decoder().decode(createHash('sha256').update(`genesis ${this.#bornMs}`).digest())
  }

  /** Every slot has a block here, so this is also the block height. */
  get slot(): bigint {
    return firstSlot + BigInt(Math.floor((this.#now() - this.#bornMs) / slotMs))
  }

  timeOf(slot: bigint): bigint {
    return BigInt(Math.floor((this.#bornMs + Number(slot - firstSlot) * slotMs) / 1000))
  }

  latestBlockhash(): { blockhash: string; lastValidBlockHeight: bigint } {
    const slot = this.slot
    const blockhash = getBase58Decoder().decode(
      createHash('sha256').update(`${this.#bornMs} ${slot}`).digest(),
    )
    for (const [hash, issued] of this.#issued) if (slot - issued > blockhashLife) this.#issued.delete(hash)
    this.#issued.set(blockhash, slot)
    return { blockhash, lastValidBlockHeight: slot + blockhashLife }
  }

  isBlockhashValid(blockhash: string): boolean {
    const issued = this.#issued.get(blockhash)
    return issued !== undefined && this.slot - issued <= blockhashLife
  }

  account(at: Address) {
    if (at === clockAccount) this.#tick()
    const found = this.#svm.getAccount(at as never)
    return found.exists ? found : undefined
  }

  /** The addresses of every account that the program owns. */
  addressesOf(program: Address): Address[] {
    return this.#svm.getProgramAccounts(program as never).map(account => address(account.address))
  }

  /** Places an account in the state that its transactions would have left. */
  lay({
    address,
    data,
    programAddress,
  }: {
    address: Address
    data: Uint8Array
    programAddress: Address
  }): void {
    this.#put(address, data, programAddress)
  }

  /** It ignores signatures, because the fee payer signs last. */
  simulate(transaction: Transaction): TransactionOutcome {
    const err = this.#refusal(transaction)
    if (err) return { err, logs: [], computeUnits: 0n }
    const done = this.#svm.withSigverify(false).simulateTransaction(transaction as never)
    return outcome(done instanceof FailedTransactionMetadata ? done : undefined, done.meta())
  }

  /** Returns undefined if the transaction never lands. One that fails while it runs does land, with its error, as on mainnet. */
  send(transaction: Transaction): Landed | undefined {
    if (this.#refusal(transaction)) return undefined
    const accounts = messageOf(transaction).staticAccounts
    const before = accounts.map(at => this.#held(at))
    const done = this.#svm.withSigverify(true).sendTransaction(transaction as never)
    const failed = done instanceof FailedTransactionMetadata ? done : undefined
    const result = outcome(
      failed,
      failed ? failed.meta() : (done as Exclude<typeof done, FailedTransactionMetadata>),
    )
    if (result.err === 'SignatureFailure') return undefined
    const slot = this.slot
    const landed: Landed = {
      ...result,
      signature: getSignatureFromTransaction(transaction),
      slot,
      blockTime: this.timeOf(slot),
      transaction,
      accounts,
      before,
      after: accounts.map(at => this.#held(at)),
    }
    this.#messages.add(messageHash(transaction))
    this.landed.unshift(landed)
    return landed
  }

  async balance(owner: Address): Promise<bigint> {
    const held = this.account(await usdcAccount(owner, this.mint))
    return held ? tokenAmount(held.data) : 0n
  }

  /** Sets the balance of the owner, and opens the accounts for it. */
  async hold(owner: Address, amount: bigint): Promise<void> {
    const at = await usdcAccount(owner, this.mint)
    const data = this.account(at)?.data ?? tokenData(this.mint, owner)
    this.#put(at, withTokenAmount(data, amount), tokenProgram)
    if (!this.account(owner)) this.#put(owner, new Uint8Array(), address('11111111111111111111111111111111'))
  }

  #refusal(transaction: Transaction): string | undefined {
    if (this.#messages.has(messageHash(transaction))) return 'AlreadyProcessed'
    return this.isBlockhashValid(messageOf(transaction).lifetimeToken) ? undefined : 'BlockhashNotFound'
  }

  /** Sets the VM's clock, which does not move by itself. */
  #tick(): void {
    const slot = this.slot
    const epoch = slot / slotsInEpoch
    this.#svm.setClock(new Clock(slot, this.timeOf(slot), epoch, epoch, this.timeOf(slot)))
  }

  #held(at: Address): AccountHeld {
    const account = this.account(at)
    const isToken = account?.programAddress === tokenProgram && account.data.length === tokenBytes
    return { lamports: account?.lamports ?? 0n, token: isToken ? new Uint8Array(account.data) : undefined }
  }

  #put(at: Address, data: Uint8Array, programAddress: Address): void {
    const lamports = 1_000_000_000_000n
    const account = {
      address: at,
      data,
      programAddress,
      lamports,
      executable: false,
      space: BigInt(data.length),
    }
    this.#svm.setAccount(account as never)
  }
}
