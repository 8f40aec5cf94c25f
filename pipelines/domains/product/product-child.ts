/** The process that reads product pages, so that an expensive page delays no other caller. */

import { answerQuestions } from '../../rails/children/child-answers.ts'
import { sourceText } from '../document/source.ts'
import { extract } from './extract.ts'
import type { ProductPage } from './reader.ts'

answerQuestions(({ source, ...page }: ProductPage) => extract({ ...page, html: sourceText(source) }))
