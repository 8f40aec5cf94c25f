/** The results of tools, as a host shows them to a model. */
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { withItsDigits } from '../../offer/answer.ts'
import type { Operation } from '../../offer/operation.ts'
import { type ChosenFields, chosenOf } from '../chosen-fields.ts'

interface Chosen {
  picture?: Operation['picture'] | undefined
  /** The fields of the answer that the caller wants. Absent: all. */
  fields?: ChosenFields
}

/**
 * A result whose text and whose object are the same JSON, with the digits of every number as they were printed. A picture in it becomes
 * the content that a model can see: as text it would fill the context, twice.
 */
export function told(text: string, { picture, fields }: Chosen = {}): CallToolResult {
  const whole = withItsDigits(text) as Record<string, unknown>
  if (!picture && !fields) return { content: [{ type: 'text', text }], structuredContent: whole }
  const { [picture?.data ?? '']: data, ...rest } = whole
  const chosen = chosenOf(rest, fields)
  const isShown = picture && typeof data === 'string' && (!fields || fields.includes(picture.data))
  return {
    content: [
      { type: 'text', text: JSON.stringify(chosen) },
      ...(isShown ? [{ type: 'image' as const, data, mimeType: String(whole[picture.type]) }] : []),
    ],
    structuredContent: chosen,
  }
}

/** In characters. The text and the object are the same, and the text is escaped. */
export const lengthOf = ({ content }: CallToolResult): number =>
  content.reduce((sum, part) => {
    if (part.type === 'text') return sum + 2 * part.text.length
    return sum + (part.type === 'image' ? part.data.length : 0)
  }, 0)
