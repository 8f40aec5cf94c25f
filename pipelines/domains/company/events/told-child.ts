/** The process that reads reports. */
import { answerQuestions } from '../../../rails/children/child-answers.ts'
import { type Documents, toldIn } from './report-facts.ts'
import type { Report } from './summary.ts'

export interface TellingQuestion {
  report: Report
  documents: Documents
}

answerQuestions(({ report, documents }: TellingQuestion) => toldIn(report, documents))
