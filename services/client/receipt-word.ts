/** `farebox receipt verify`: whether a seller signed what a file holds. With `--signer` nobody is asked. */
import { readFileSync } from 'node:fs'
import { canonical } from './canonical.ts'
import type { Farebox } from './farebox.ts'
import { jsonIn, NamedTwice } from './named-once.ts'
import { exits, show } from './printing.ts'
import type { Result } from './results.ts'
import { questionIn, quoted, WrongWords } from './words.ts'

type Json = Record<string, unknown>

interface Filed {
  settlement: Json | string
  answer?: Json
  /** The receipt that `call --json` prints beside the answer. */
  receipt?: Json
}

interface Told extends Json {
  valid: boolean
  signer: string | null
}

export async function receipt(
  farebox: Farebox,
  [what, file, asked]: readonly string[],
  { signer: signers, json }: { signer?: string[] | undefined; json: boolean },
): Promise<number> {
  if (what !== 'verify' || file === undefined) throw new WrongWords('say: farebox receipt verify <file>')
  const odd = signers?.find(each => !/^0x[0-9a-f]{40}$/i.test(each))
  if (odd !== undefined)
    throw new WrongWords(`--signer: ${quoted(odd)} is not an address, which is 0x and 40 hex digits`)
  const filed = receiptIn(file)
  const question = asked === undefined ? undefined : (questionIn(asked) as Json)
  // Held against nobody's signature: is there one at all?
  const unsigned = await farebox.verify(filed, { signer: [] })
  const isNone = unsigned.receipt === null
  const known = isNone ? unsigned : signers && (await farebox.verify(filed, { signer: signers, question }))
  const result = known
    ? { ok: true as const, replayed: false, answer: known }
    : await bySeller(farebox, filed, question)
  const ended = show(result, json, false)
  if (!result.ok) return ended
  const { valid, signer } = result.answer
  const no = isNone ? 'there is no receipt in it: the seller gave none' : 'not genuine'
  if (!json) console.error(valid ? `signed by ${signer}` : no)
  return valid ? exits.answered : exits.refused
}

/** He sees one receipt. The file may show two. */
async function bySeller(farebox: Farebox, { receipt: shown, ...filed }: Filed, question: Json | undefined) {
  // Whatever client this is, its seller may verify.
  const asked = { ...filed, ...(question && { question }) }
  const result = (await farebox.call('/receipts/verify', asked)) as Result<Told>
  const isSame = shown === undefined || canonical(shown) === canonical(filed.answer?.receipt)
  if (!result.ok || isSame) return result
  return { ...result, answer: { ...result.answer, valid: false } }
}

/** Reads what `call --json` printed, or the value of PAYMENT-RESPONSE. `-` is the standard input. */
function receiptIn(file: string): Filed {
  const text = receiptText(file).trim()
  if (!text.startsWith('{')) return { settlement: text }
  const told = fileIn(text) as Record<string, Json>
  const { settlement, answer, receipt } = told
  if (!settlement) return { settlement: told }
  return { settlement, ...(answer && { answer }), ...(receipt && { receipt }) }
}

function fileIn(text: string): unknown {
  try {
    const told = jsonIn(text)
    // What nests too deep to be written can be sent to no seller, and judged by nobody.
    JSON.stringify(told)
    return told
  } catch (error) {
    if (error instanceof RangeError) throw new WrongWords('the receipt nests too deep to be judged')
    throw new WrongWords(`the receipt is no JSON${error instanceof NamedTwice ? `: ${error.message}` : ''}`)
  }
}

function receiptText(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch (error) {
    throw new Error(`the receipt cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
}
