/** The Python client's modules: what each schema becomes. */
import { expect, it } from 'vitest'
import { z } from 'zod'
import type { OpenOrigin } from '../../../services/offer/origin.ts'
import { clientCalls } from '../../../services/query/catalog/client-calls.ts'
import { pythonModules } from '../../../services/query/catalog/python.ts'
import { answerKind, receiptKind } from '../../../services/query/signing/signer.ts'
import { originOf } from '../an-origin.ts'
import { echo } from '../till/paying.ts'

const modules = (response: z.ZodType, request: z.ZodType = z.strictObject({})) =>
  pythonModules(
    clientCalls([
      { ...originOf([{ ...echo, path: '/echo/loud', request, response } as never]), url: '' } as OpenOrigin,
    ]),
  )

it('a question whose fields Python cannot name is written by their texts', () => {
  const { 'shapes.py': text } = modules(
    z.strictObject({ '@type': z.literal('Echo'), rate: z.number().nullable() }),
    z.strictObject({ from: z.string().describe('Where\nfrom'), lambda: z.int().optional() }),
  )
  expect(text).toContain(`EchoLoudQuestion = TypedDict("EchoLoudQuestion", {
    # Where from
    "from": str,
    "lambda": NotRequired[int],
})`)
  expect(text).toContain('    "@type": Literal["Echo"],\n    "rate": float | None,\n')
})

it('equal shapes are one class, before those that name it, and no inner shape takes the name of an answer', () => {
  const port = z.strictObject({ name: z.string() })
  const { 'shapes.py': text = '' } = modules(
    z.strictObject({ answer: port, ports: z.array(port), tides: z.record(z.string(), z.number()) }),
  )
  expect(text.match(/^class \w+/gm)).toEqual([
    'class Receipt',
    'class EchoLoudQuestion',
    'class EchoLoudAnswer2',
    'class EchoLoudAnswer',
  ])
  expect(text).toContain(
    '    answer: EchoLoudAnswer2\n    ports: list[EchoLoudAnswer2]\n    tides: dict[str, float]\n',
  )
  expect(text).toContain('    receipt: NotRequired[Receipt]\n')
})

it('literals are those of Python, and a fraction is none', () => {
  const { 'shapes.py': text } = modules(
    z.strictObject({
      is: z.literal(true),
      way: z.enum(['a"b', 'c']),
      half: z.literal(0.5),
      size: z.literal([1, 2]),
    }),
  )
  expect(text).toContain('    is_: Literal[True]'.replace('is_', '"is"').concat(','))
  expect(text).toContain(
    '    "way": Literal["a\\"b", "c"],\n    "half": float,\n    "size": Literal[1, 2],\n',
  )
})

it('each code has its class, and each operation its method, with its words in one piece', () => {
  const { 'refusals.py': refusals, 'calls.py': calls } = modules(z.strictObject({ said: z.string() }))
  expect(refusals).toContain('class PaymentUnknown(Refused):')
  for (const code of Object.keys(echo.refusals)) expect(refusals).toContain(`    code = "${code}"\n`)
  expect(calls).toContain(
    '    async def echo_loud(self, question: Optional[shapes.EchoLoudQuestion] = None, *, key',
  )
  expect(calls).toContain('        return self._ask("POST", "/echo/loud", question, key, payment, dry_run)')
})

it('receipts are checked by the fields that the seller signs, all of them', () => {
  const { 'kinds.py': text } = modules(z.strictObject({ said: z.string() }))
  for (const { domain, name, fields } of [receiptKind, answerKind]) {
    const rows = Object.entries(fields).map(([field, type]) => `    "${field}": "${type}",\n`)
    expect(text).toContain(` = Kind("${domain}", "${name}", {\n${rows.join('')}})`)
  }
})
