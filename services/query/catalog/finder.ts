/** The search over operations, fields and refusals: one script that holds what it searches, so no keystroke asks the server. */
import { readFileSync } from 'node:fs'
import { errors } from '../../offer/errors.ts'
import type { OpenOrigin } from '../../offer/origin.ts'
import { docsPath } from '../face/text.ts'
import { fee, type Offered, offeredBy } from './offered.ts'
import { jsonSchema } from './schemas.ts'
import type { Schema } from './type-text.ts'

const inPage = readFileSync(new URL('finder-in-page.js', import.meta.url), 'utf8')

export const finderScript = (origins: readonly OpenOrigin[]): string =>
  `const offered = ${JSON.stringify(offeredBy(origins).map(entryOf))}\nconst shared = ${JSON.stringify(Object.keys(errors))}\n${inPage}`

const entryOf = (offered: Offered) => ({
  href: docsPath(offered.path),
  path: offered.path,
  title: offered.title,
  fee: fee(offered),
  fields: [
    ...new Set([
      ...namesIn(jsonSchema(offered.request, 'input') as Schema),
      ...namesIn(jsonSchema(offered.response) as Schema),
    ]),
  ],
  codes: Object.keys(offered.refusals),
})

/** The names of all fields in a schema, at any depth. */
function namesIn(schema: Schema): string[] {
  const { properties = {}, items, additionalProperties, anyOf = [], oneOf = [], allOf = [] } = schema
  const below = [
    ...Object.values(properties),
    ...[items, additionalProperties].filter(each => typeof each === 'object'),
    ...anyOf,
    ...oneOf,
    ...allOf,
  ]
  return [...Object.keys(properties), ...below.flatMap(namesIn)]
}
