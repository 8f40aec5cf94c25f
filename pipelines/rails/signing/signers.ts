/**
 * Recovers signers, which is a fifth of the work of a sale. The first signature of a turn of the event loop is read here. Those that came with
 * it are read by a thread meanwhile, if they are several, so a few calls wait for no thread, and many share two processors.
 */
import { Worker } from 'node:worker_threads'
import { signerOfDigest } from './ecdsa.ts'

interface Asked {
  digest: Buffer
  signature: string
  /** Undefined if this is not a signature. */
  tell(signer: string | undefined): void
}

/** A signature that a wallet writes, which is one line. */
const plain = /^0x[0-9a-fA-F]{130}$/
/** A message to a thread, and the answer, take as long as some signatures. */
const worthwhile = 8
/** After a thread has ended by itself, this process reads alone for so long. */
const restMs = 10_000

export class Signers {
  readonly #open: () => Worker
  #thread: Worker | undefined
  #restsUntil = 0
  #isFirst = true
  #together: Asked[] = []
  /** What the thread was sent, the oldest first. Each entry belongs to calls under way, so they are as few. */
  #sent: Asked[][] = []

  constructor(open: () => Worker) {
    this.#open = open
  }

  /** The signer's address in lower case. Undefined if this is not a signature. */
  of(digest: Buffer, signature: string): Promise<string | undefined> | string | undefined {
    if (this.#isFirst || !plain.test(signature) || performance.now() < this.#restsUntil) {
      if (this.#isFirst) this.#begin()
      return signerOfDigest(digest, signature)
    }
    return new Promise(tell => this.#together.push({ digest, signature, tell }))
  }

  #begin(): void {
    this.#isFirst = false
    setImmediate(() => {
      this.#isFirst = true
      this.#send()
    })
  }

  #send(): void {
    const asked = this.#together
    if (asked.length === 0) return
    this.#together = []
    if (asked.length < worthwhile) {
      readHere(asked)
      return
    }
    try {
      this.#thread ??= this.#started()
      this.#thread.postMessage(
        asked.map(({ digest, signature }) => digest.toString('hex') + signature).join('\n'),
      )
      this.#thread.ref()
      this.#sent.push(asked)
    } catch {
      // There are no more threads on this machine.
      this.#restsUntil = performance.now() + restMs
      readHere(asked)
    }
  }

  #started(): Worker {
    const thread = this.#open()
    thread.on('message', (lines: string) => {
      const asked = this.#sent.shift() ?? []
      // It keeps no process alive while nobody waits for it.
      if (this.#sent.length === 0) thread.unref()
      for (const [i, signer] of lines.split('\n').entries()) asked[i]?.tell(signer || undefined)
    })
    const end = () => {
      if (this.#thread !== thread) return
      this.#thread = undefined
      this.#restsUntil = performance.now() + restMs
      for (const asked of this.#sent.splice(0)) readHere(asked)
    }
    thread.on('error', end)
    thread.on('exit', end)
    return thread
  }
}

function readHere(asked: readonly Asked[]): void {
  for (const { digest, signature, tell } of asked) tell(signerOfDigest(digest, signature))
}

const signers = new Signers(() => new Worker(new URL('./signer-thread.ts', import.meta.url)))

/** The signer's address in lower case. Undefined if this is not a signature. */
export const signerSoon = (digest: Buffer, signature: string) => signers.of(digest, signature)
