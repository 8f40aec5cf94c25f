/** Forms 3, 4 and 5, each read from its XML. */
import { filingFolder } from '../../../schemas/sec-filings.ts'
import { secInsiders } from '../../../schemas/sec-insiders.ts'
import { type InsiderForm, insidersIn } from '../../domains/company/insiders/ownership.ts'
import type { Outside } from '../../rails/outside/upstreams/outside.ts'
import { type Emitted, emit } from '../source.ts'
import { askEdgar, type EdgarAsking } from './edgar.ts'
import { secWww } from './upstream.ts'

/** EDGAR puts the folder of a style sheet before the name of the XML, to show the form to people. */
const style = /^xsl[^/]*\//

export async function fetchInsiders(
  form: InsiderForm & { primary_document: string },
  outside: Outside,
  asking?: EdgarAsking,
): Promise<Emitted[]> {
  const document = form.primary_document.replace(style, '')
  // Until 2003 these forms came on paper or as text.
  if (!document.endsWith('.xml')) return []
  const path = `${new URL(filingFolder(form)).pathname}/${document}`
  const answer = await askEdgar(outside, secWww, path, { maxBytes: 2 ** 23, ...asking })
  if (!answer) return []
  return (await insidersIn(answer.text(), form, answer.from)).map(row => emit(secInsiders, row))
}
