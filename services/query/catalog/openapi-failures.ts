/** The failures of an endpoint in openapi.json. What any call can end in stands once, under the components. */
import { errors, isOfPayments } from '../../offer/errors.ts'
import type { Endpoint } from '../../offer/operation.ts'
import { capital } from './shared-shapes.ts'

interface Response {
  description: string
  content?: object
}

export type ResponseOrRef = Response | { $ref: string }

const statuses = [400, 409, 413, 415, 422, 429, 431, 500, 502, 503]
const endings = {
  Own: 'This call charges nothing; see `charged`',
  Paid: 'This call charges nothing; `charged` says whether the payment that came with it was charged before (true), was not (false), or that nobody can tell yet (null)',
  Free: 'Free',
}
export type FailureKind = Exclude<keyof typeof endings, 'Own'>

const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } }

/** The codes of any call of this kind. */
const commonOf = (kind: FailureKind, status: number): [code: string, about: string][] =>
  Object.entries(errors).flatMap(([code, [its, about]]): [string, string][] =>
    its === status && (kind === 'Paid' || !isOfPayments(code)) ? [[code, about]] : [],
  )

const listed = (codes: readonly [code: string, about: string][]): string =>
  codes.map(([code, about]) => `\`${code}\`: ${about}. `).join('')

const commonResponses = (kind: FailureKind): [name: string, response: Response][] =>
  statuses.flatMap((status): [string, Response][] => {
    const codes = commonOf(kind, status)
    return codes.length
      ? [[`${kind}${status}`, { description: `${listed(codes)}${endings[kind]}.`, content }]]
      : []
  })

const responses: Readonly<Record<string, Response>> = {
  PaymentRequired: {
    description:
      'Payment required: the quote is in PAYMENT-REQUIRED, and the body repeats it. Where MPP is offered, WWW-Authenticate: Payment is the same quote, and a refused credential gets application/problem+json with the same fields',
  },
  ...Object.fromEntries([...commonResponses('Paid'), ...commonResponses('Free')]),
}

/** The failures by status. The endpoint's own codes come first; the others are named, and told of under the components. */
function failuresOf({ refusals }: Endpoint, kind: FailureKind): Record<string, ResponseOrRef> {
  const all = statuses.map((status): [number, ResponseOrRef | undefined] => {
    const own = Object.entries(refusals).flatMap(([code, refusal]): [string, string][] =>
      refusal.status === status ? [[code, refusal.about]] : [],
    )
    const common = `${kind}${status}`
    if (own.length === 0) return [status, responses[common] && { $ref: `#/components/responses/${common}` }]
    const others = commonOf(kind, status).map(([code]) => `\`${code}\``)
    const also = others.length ? `Also ${others.join(', ')}. ` : ''
    return [
      status,
      { description: `${listed(own)}${also}${endings[kind === 'Paid' ? 'Own' : kind]}.`, content },
    ]
  })
  return Object.fromEntries(all.filter(([, response]) => response !== undefined)) as Record<
    string,
    ResponseOrRef
  >
}

/** Of each endpoint by its id. What several of them say alike stands once, under the components. */
export function allFailures(endpoints: readonly (readonly [Endpoint, FailureKind])[]) {
  const own = endpoints.map(([endpoint, kind]) => [endpoint.id, failuresOf(endpoint, kind)] as const)
  const seen = new Map<string, { name: string; times: number }>()
  for (const [id, failures] of own)
    for (const [status, response] of Object.entries(failures)) {
      const text = JSON.stringify(response)
      const known = seen.get(text)
      if (known) known.times++
      else seen.set(text, { name: `${capital(id)}${status}`, times: 1 })
    }
  const shared: Record<string, ResponseOrRef> = {}
  const written = (response: ResponseOrRef): ResponseOrRef => {
    const { name, times } = seen.get(JSON.stringify(response)) ?? { name: '', times: 0 }
    if ('$ref' in response || times < 2) return response
    shared[name] = response
    return { $ref: `#/components/responses/${name}` }
  }
  const of = new Map(
    own.map(([id, failures]) => [
      id,
      Object.fromEntries(Object.entries(failures).map(([status, each]) => [status, written(each)])),
    ]),
  )
  return { responses: { ...responses, ...shared }, of }
}
