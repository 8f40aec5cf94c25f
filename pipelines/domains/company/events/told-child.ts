/** The process that reads reports. */
import { answerQuestions } from '../../../rails/children/answering.ts'
import type { Report } from './summary.ts'
import { type Documents, toldIn } from './told.ts'

export interface TellingQuestion {
  report: Report
  documents: Documents
}

answerQuestions(({ report, documents }: TellingQuestion) => toldIn(report, documents))
