/** A child for tests. It waits for ever, or answers at once. */
import { getPriority } from 'node:os'
import { answerQuestions } from '../../../../pipelines/rails/children/child-answers.ts'

answerQuestions((question: string) => {
  while (question === 'slow');
  if (question === 'large') return Array.from({ length: 100_000_000 }, (_, i) => ({ i }))
  if (question === 'wrong') throw new Error('it is wrong')
  return question === 'priority' ? getPriority() : question
})
