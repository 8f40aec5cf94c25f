/** The central bank of the sandbox, which can publish the rates of its newest day a second time, with another rate of the yen. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OutOfTurn } from '../../pipelines/sources/out-of-turn.ts'
import { json, type Loopback, type LoopbackAnswer, serveLoopback } from './loopback.ts'

/** Its newest day stands first in a file of XML. */
const yen = /(?<=<Cube currency='JPY' rate=')[\d.]+(?=')/

/** Facts outlive a sandbox, so the bank of the next one has to know what it has published. */
export class PlayBank {
  readonly #file: string
  #corrections: number

  constructor(folder: string) {
    this.#file = join(folder, 'bank-corrections')
    this.#corrections = existsSync(this.#file) ? Number(readFileSync(this.#file, 'utf8')) : 0
  }

  /** What it publishes now. */
  published<A extends LoopbackAnswer>(answer: A): A {
    if (!this.#corrections || typeof answer.body !== 'string') return answer
    const body = answer.body.replace(yen, rate => (Number(rate) + this.#corrections).toFixed(2))
    return { ...answer, body }
  }

  /** The address that has it correct itself. `isSample`: otherwise the rates are those of the real bank. */
  control(polls: OutOfTurn, isSample: boolean): Promise<Loopback> {
    return serveLoopback(async ({ method, path }) => {
      if (method !== 'POST' || path !== '/correct') return { status: 404, body: json({ error: 'not found' }) }
      if (!isSample)
        return {
          status: 409,
          body: json({
            error:
              'the rates are live here, and nobody corrects them by a command: ECB_URL=http://127.0.0.1:9 npm start takes invented ones',
          }),
        }
      writeFileSync(this.#file, `${++this.#corrections}\n`)
      await polls.poll('ecb')
      return { body: json({ corrected: 'JPY' }) }
    })
  }
}
