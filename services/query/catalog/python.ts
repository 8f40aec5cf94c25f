/** The operations as Python for the typed client: the modules that follow from declarations. */

import type { Kind } from '../../../pipelines/rails/signing/eip712.ts'
import { networks } from '../../../schemas/tables/networks.ts'
import { errors } from '../../offer/errors.ts'
import { receipt } from '../../till/receipt.ts'
import { answerKind, receiptKind } from '../signing/signer.ts'
import type { ClientCall } from './client-calls.ts'
import { PythonShapes, pythonText } from './python-shapes.ts'
import { jsonSchema } from './schemas.ts'
import { capital } from './shared-shapes.ts'
import type { Schema } from './type-text.ts'

/** `/market/best` is the method `market_best`. */
export const pythonName = (path: string): string => path.slice(1).replace(/[/-]/g, '_')
const typeName = ({ path }: ClientCall): string => capital(path)
const doc = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"""', "'''")
const head = (what: string, ...lines: string[]): string =>
  [`"""${what} Written from the declarations, and in no commit."""`, '', ...lines, ''].join('\n')

/** The modules by their file names. */
export function pythonModules(all: readonly ClientCall[]): Record<string, string> {
  return {
    'shapes.py': shapes(all),
    'calls.py': calls(all),
    'refusals.py': refusals(all),
    'networks.py': networksTable(),
    'kinds.py': kinds(),
  }
}

function shapes(all: readonly ClientCall[]): string {
  const names = all.flatMap(each => [`${typeName(each)}Question`, `${typeName(each)}Answer`])
  const written = new PythonShapes(['Receipt', ...names])
  const receiptSchema = jsonSchema(receipt) as Schema
  written.named(receiptSchema, 'Receipt')
  for (const offered of all) {
    const name = typeName(offered)
    const { question, answer } = offered
    written.named(question, `${name}Question`)
    const bought = answer.properties &&
      offered.price && { ...answer, properties: { ...answer.properties, receipt: receiptSchema } }
    written.named(bought || answer, `${name}Answer`)
  }
  return head(
    'What is asked and answered.',
    'from typing import Any, Literal',
    '',
    'from typing_extensions import NotRequired, TypedDict',
    '',
    '',
    written.text,
  )
}

function calls(all: readonly ClientCall[]): string {
  const rows = all.map(
    ({ method, path, price, title }) =>
      `    ${pythonText(pythonName(path))}: Operation(${[method, path].map(pythonText).join(', ')}, ${price ? pythonText(price) : 'None'}, ${pythonText(title)}),`,
  )
  return head(
    'The operations as methods.',
    'from collections.abc import Mapping',
    'from typing import Any, NamedTuple, Optional',
    '',
    'from . import shapes',
    'from .results import Result',
    '',
    '',
    'class Operation(NamedTuple):',
    '    method: str',
    '    path: str',
    '    price_usd: Optional[str]',
    '    title: str',
    '',
    '',
    'OPERATIONS = {',
    ...rows,
    '}',
    '',
    ...classOf('AsyncCalls', all, true),
    ...classOf('Calls', all, false),
  )
}

function classOf(name: string, all: readonly ClientCall[], isAsync: boolean): string[] {
  const def = isAsync ? 'async def' : 'def'
  const result = isAsync ? 'return await' : 'return'
  return [
    '',
    `class ${name}:`,
    `    ${def} _ask(`,
    '        self, method: str, path: str, question: Optional[Mapping[str, Any]],',
    '        key: Optional[str] = None, payment: Optional[str] = None, dry_run: bool = False,',
    '    ) -> Result[Any]:',
    '        raise NotImplementedError',
    ...all.flatMap(offered => methodOf(offered, def, result)),
    '',
  ]
}

function methodOf(offered: ClientCall, def: string, result: string): string[] {
  const { method, path, about, price } = offered
  const { required = [] } = offered.question
  const type = `shapes.${typeName(offered)}Question`
  const question = required.length ? `question: ${type}` : `question: Optional[${type}] = None`
  const options = price
    ? ', *, key: Optional[str] = None, payment: Optional[str] = None, dry_run: bool = False'
    : ''
  const codes = Object.keys(offered.refusals).map(className)
  const given = price ? ', key, payment, dry_run' : ''
  return [
    '',
    `    ${def} ${pythonName(path)}(self, ${question}${options}) -> Result[shapes.${typeName(offered)}Answer]:`,
    `        """${doc(about)} ${price ? `${price} USDC.` : 'Free.'}${codes.length ? ` Refusals of its own: ${codes.join(', ')}.` : ''}"""`,
    `        ${result} self._ask(${pythonText(method)}, ${pythonText(path)}, question${given})`,
  ]
}

const className = (code: string): string => capital(code)

function refusals(all: readonly ClientCall[]): string {
  const codes = new Map(Object.entries(errors).map(([code, [, about]]) => [code, about as string]))
  for (const { refusals: own } of all)
    for (const [code, { about }] of Object.entries(own)) if (!codes.has(code)) codes.set(code, about)
  // The client ends a call so, too, and has the class.
  codes.delete('redirected')
  const classes = [...codes].map(([code, about]) =>
    [
      '',
      `class ${className(code)}(Refused):`,
      `    """${doc(about)}."""`,
      '',
      `    code = ${pythonText(code)}`,
      '',
    ].join('\n'),
  )
  return head('The refusals of a seller, a class for each code.', 'from .errors import Refused', ...classes)
}

/** The networks that the client may pay on. */
function networksTable(): string {
  const rows = Object.entries(networks).map(([name, network]) => {
    const domain = 'domain' in network ? network.domain : undefined
    const signed = domain ? `(${pythonText(domain.name)}, ${pythonText(domain.version)})` : 'None'
    return `    Network(${[name, network.caip2, network.asset].map(pythonText).join(', ')}, ${signed}),`
  })
  return head(
    'The USDC of each network. The client pays with nothing else, and a quote can only choose among these rows.',
    'from typing import NamedTuple, Optional',
    '',
    '',
    'class Network(NamedTuple):',
    '    name: str',
    '    id: str',
    '    # It has 6 decimals everywhere.',
    '    usdc: str',
    '    # Name and version of its EIP-712 domain. A network of Solana has none.',
    '    domain: Optional[tuple[str, str]]',
    '',
    '',
    'NETWORKS = (',
    ...rows,
    ')',
  )
}

/** What the receipts of a seller are signed as. A field that only one side knows would make each genuine receipt a false one. */
function kinds(): string {
  const written = (name: string, { domain, name: type, fields }: Kind): string[] => [
    `${name} = Kind(${[domain, type].map(pythonText).join(', ')}, {`,
    ...Object.entries(fields).map(each => `    ${each.map(pythonText).join(': ')},`),
    '})',
  ]
  return head(
    'The typed data (EIP-712) of receipts.',
    'from typing import NamedTuple',
    '',
    '',
    'class Kind(NamedTuple):',
    '    domain: str',
    '    name: str',
    '    fields: dict[str, str]',
    '',
    '',
    ...written('RECEIPT', receiptKind),
    ...written('ANSWER', answerKind),
  )
}
