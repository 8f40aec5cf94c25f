/** Keeps answers as text for as long as the rows that they are made of are current. */
import { Serialised } from '../../../answer.ts'

/** Each operation has its own. New rows are new objects, so the answers of old rows are dropped with them. */
export class AnswerCache {
  readonly #byRow = new WeakMap<object, { company: object; answers: Map<string, Serialised> }>()

  /** `question` names all else that the answer depends on. */
  once<T>(rows: object, company: object, question: string, build: () => T): Serialised<T> {
    let kept = this.#byRow.get(rows)
    if (kept?.company !== company) {
      kept = { company, answers: new Map() }
      this.#byRow.set(rows, kept)
    }
    let answer = kept.answers.get(question)
    if (!answer) {
      answer = new Serialised(build())
      kept.answers.set(question, answer)
    }
    return answer as Serialised<T>
  }
}
