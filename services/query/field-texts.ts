/** Cuts the wanted part out of JSON text. To parse and print a long answer would take ten times as long for each replay. */
import type { Wanted } from './field-paths.ts'

export function partOf(text: string, wanted: Wanted): string {
  const json = text.trim()
  if (json.startsWith('[')) return `[${itemsOf(json).map(each => partOf(each, wanted))}]`
  if (!json.startsWith('{')) return json
  const parts = fieldsOf(json).flatMap(({ name, text, valueAt }) => {
    const part = wanted.get(name)
    if (part === undefined) return []
    return part === true ? [text] : [text.slice(0, valueAt) + partOf(text.slice(valueAt), part)]
  })
  return `{${parts}}`
}

const [quote, comma, backslash] = [0x22, 0x2c, 0x5c]
const [list, listEnd, object, objectEnd] = [0x5b, 0x5d, 0x7b, 0x7d]

interface Field {
  name: string
  /** Its name and its value as they are written, and where in it the value begins. */
  text: string
  valueAt: number
}

function fieldsOf(json: string): Field[] {
  const fields: Field[] = []
  for (let at = json.indexOf('"'); at >= 0; at = json.indexOf('"', at)) {
    const nameEnd = endOfText(json, at)
    const valueAt = json.indexOf(':', nameEnd) + 1
    const end = endOfValue(json, valueAt)
    const name = JSON.parse(json.slice(at, nameEnd)) as string
    fields.push({ name, text: json.slice(at, end), valueAt: valueAt - at })
    at = end
  }
  return fields
}

function itemsOf(json: string): string[] {
  const items: string[] = []
  for (let at = 0, end = 0; end < json.length - 1; at = end) {
    end = endOfValue(json, at + 1)
    items.push(json.slice(at + 1, end))
  }
  return items.length === 1 && items[0]?.trim() === '' ? [] : items
}

/** The place behind the text that begins here. */
function endOfText(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); ; at = json.indexOf('"', at + 1)) {
    let before = at - 1
    while (json.charCodeAt(before) === backslash) before--
    if ((at - before) % 2 === 1) return at + 1
  }
}

function endOfValue(json: string, start: number): number {
  let depth = 0
  for (let at = start; ; at++) {
    const sign = json.charCodeAt(at)
    if (sign === quote) at = endOfText(json, at) - 1
    else if (sign === object || sign === list) depth++
    else if (sign === objectEnd || sign === listEnd) {
      if (depth-- === 0) return at
    } else if (sign === comma && depth === 0) return at
  }
}
