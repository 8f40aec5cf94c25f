/** Keeps the JSON text of an answer while the rows that it was made from are current. */
import { Bounded } from '../../../../pipelines/rails/bounded.ts'
import { Serialised } from '../../../offer/answer.ts'

const most = 10_000
const mostBytes = 32_000_000

/** Each operation has its own cache. New rows are new objects, so the answers from old rows are never asked for again. */
export class AnswerCache {
  readonly #answers = new Bounded<Serialised>({
    most,
    mostWeight: mostBytes,
    weigh: ({ json }) => 2 * json.length,
  })
  readonly #numbers = new WeakMap<object, number>()
  #last = 0

  /** `question` names everything else that the answer depends on. */
  once<T>(rows: object, company: object, question: string, build: () => T): Serialised<T> {
    const name = `${this.#numberOf(rows)} ${this.#numberOf(company)} ${question}`
    const known = this.#answers.ask(name)
    if (known) return known as Serialised<T>
    const answer = new Serialised(build())
    this.#answers.set(name, answer)
    return answer
  }

  #numberOf(made: object): number {
    const number = this.#numbers.get(made) ?? ++this.#last
    this.#numbers.set(made, number)
    return number
  }
}
