/** Answers are serialised once for as long as the rows that they are made of stand, not once per call. */
import { Serialised } from '../../../answer.ts'

/** Each operation keeps its own. Rows that are looked up anew are new objects, and their answers go with them. */
export class AnswerCache {
  readonly #byRow = new WeakMap<object, { company: object; answers: Map<string, Serialised> }>()

  /** `question` is whatever else the answer depends on. */
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
