/** What people see of answers about pages. */
import { type AnswerFields, type Drawings, numberOf, textOf } from '../../offer/drawing.ts'

export const webDrawings: Drawings = {
  at: import.meta.url,
  of: {
    screenshotPage: (answer: AnswerFields) => [
      {
        kind: 'picture',
        title: textOf(answer.title) || textOf(answer.final_url),
        type: textOf(answer.content_type),
        base64: textOf(answer.image_base64),
        width: numberOf(answer.width),
        height: numberOf(answer.height),
        note: textOf(answer.final_url),
      },
    ],
  },
}
