/** The JSON Schema of a file that sells. An editor completes and checks the file with it. */
import { z } from 'zod'
import { form } from './form.ts'

export function schemaText(): string {
  const schema = z.toJSONSchema(form, { io: 'input' })
  return `${JSON.stringify({ ...schema, title: 'A file that sells' }, null, 2)}\n`
}
