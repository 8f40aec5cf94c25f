/** The JSON Schema of a file that sells. An editor completes and checks the file with it. */
import { z } from 'zod'
import { form } from './form.ts'

export function schemaText(): string {
  const schema = z.toJSONSchema(form, {
    io: 'input',
    override({ jsonSchema: { propertyNames } }) {
      // 404 is a number to an editor of YAML, and a name all the same.
      if (typeof propertyNames === 'object') delete propertyNames.type
    },
  })
  return `${JSON.stringify({ ...schema, title: 'A file that sells' }, null, 2)}\n`
}
