/** The process that reads long answers for their digests. */
import { answerQuestions } from '../../../pipelines/rails/children/child-answers.ts'
import { hashOfAnswer } from './answer-hash.ts'

answerQuestions(hashOfAnswer)
