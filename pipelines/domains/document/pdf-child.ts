/** The process that reads PDFs. */

import { answerQuestions } from '../../rails/children/child-answers.ts'
import { sha256 } from '../../rails/signing/sha256.ts'
import { mostHeapBytes, openPdfium, type PdfQuestion } from './pdf/document.ts'

const { read, heapBytes } = await openPdfium()

// After a trap in WebAssembly its heap cannot be trusted.
const ends = (hasFailed: boolean) => hasFailed || heapBytes() > mostHeapBytes
answerQuestions(
  (question: PdfQuestion) => {
    const found = read(question)
    return 'refusal' in found ? found : { ...found, sha256: sha256(question.bytes) }
  },
  { ends },
)
