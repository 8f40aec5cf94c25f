/**
 * Reads one XML document into a tree.
 * It is strict, and refuses declarations that make a parser fetch or use much memory.
 */
import { setImmediate as turn } from 'node:timers/promises'
import { SaxesParser } from 'saxes'
import { UpstreamFailed } from '../failures.ts'

export interface XmlElement {
  /** The name without its prefix. */
  name: string
  attributes: Readonly<Record<string, string | undefined>>
  children: XmlElement[]
  text: string
}

/** The parser looks up each element's name in all elements around it, so deep nesting costs the square of its depth. */
const mostNesting = 64

/** The letters that are read at once: a megabyte would hold up all others of the process for a fifth of a second. */
const pieceLetters = 1 << 16

/** Rejects with UpstreamFailed, with line and column. `from` names the document in the message. */
export async function readXml(document: string, from: string): Promise<XmlElement> {
  const parser = new SaxesParser({ xmlns: true })
  const top: XmlElement = { name: '', attributes: {}, children: [], text: '' }
  const open = [top]
  const here = () => open.at(-1) as XmlElement
  const fail = (reason: string): never => {
    throw new UpstreamFailed(`${from} is not the XML it should be: ${reason}`)
  }
  parser.on('error', error => fail(error.message))
  parser.on('doctype', () => fail(`${parser.line}:${parser.column}: a document type declaration`))
  parser.on('opentag', ({ local, attributes }) => {
    if (open.length > mostNesting) fail(`it is nested more than ${mostNesting} times`)
    const element: XmlElement = {
      name: local,
      attributes: Object.fromEntries(Object.entries(attributes).map(([name, { value }]) => [name, value])),
      children: [],
      text: '',
    }
    here().children.push(element)
    open.push(element)
  })
  parser.on('text', text => {
    here().text += text
  })
  parser.on('cdata', text => {
    here().text += text
  })
  parser.on('closetag', () => {
    open.pop()
  })
  for (let at = 0; at < document.length; at += pieceLetters) {
    if (at > 0) await turn()
    parser.write(document.slice(at, at + pieceLetters))
  }
  parser.close()
  return top.children[0] ?? fail('it is empty')
}
