/** A file that sells, read as the service reads it. */
import type { Fault } from '../../../services/sell/document.ts'
import { originOf, type ReadFile } from '../../../services/sell/origin.ts'

export const context = (set: Record<string, string> = {}, files: Record<string, string> = {}) => ({
  file: 'tides.yaml',
  set,
  asks: true,
  isOurs: (variable: string) => variable === 'TIDES_OURS',
  origins: new Set(['data']),
  paths: new Set(['/fx', '/docs/*']),
  tools: new Set(['get_service_info']),
  ids: new Set(['tidesTable']),
  placeOf(name: string): string {
    const place = files[name]
    if (place === undefined) throw new Error(`there is no ${name}`)
    return place
  },
  beside(name: string): string {
    const text = files[name]
    if (text === undefined) throw new Error(`there is no ${name}`)
    return text
  },
})

export const read = (
  text: string,
  set: Record<string, string> = {},
  files: Record<string, string> = {},
): ReadFile => originOf(text, context(set, files))

export const shown = ({ file, line, column, message }: Fault): string =>
  `${file === undefined ? '' : `${file}:`}${line}:${column} ${message}`

export const faultsOf = (text: string, set: Record<string, string> = {}): string[] =>
  read(text, set).faults.map(shown)

/** The smallest file, with other lines for its one operation. */
export const fileOf = ({
  http = 'http://127.0.0.1:9/v2/{station}',
  question = '{ station: { type: string } }',
  from = '',
  more = '',
  example = '{ question: { station: a } }',
} = {}): string => `origin: tides
title: Tide tables
operations:
  /tide:
    title: The tide at a station
    price: 0.003
    question: ${question}
    from: { http: '${http}'${from && `, ${from}`} }
    example: ${example}
${more && `    ${more}\n`}`

/** The same for a view. */
export const viewOf = ({
  view = 'select {station:String} as said',
  question = '{ station: { type: string } }',
  from = '',
  more = '',
  example = '{ question: { station: a } }',
} = {}): string => `origin: tides
title: Tide tables
operations:
  /tide:
    title: The tide at a station
    price: 0.003
    question: ${question}
    from: { view: '${view.replaceAll("'", "''")}'${from && `, ${from}`} }
    example: ${example}
${more && `    ${more}\n`}`
