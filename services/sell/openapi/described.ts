/** The operations that a file sells from a document of OpenAPI: each as the file itself would say it, or a fault with its line. */
import { readPublicUrl } from '../../../pipelines/rails/outside/fetching/address.ts'
import { type Fault, type Path, SellDocument } from '../document.ts'
import { type OperationForm, operationForm, type SellForm, serverForm } from '../form.ts'
import type { Tell } from '../request.ts'
import { callOf, type FoundCall, type Priced } from './call.ts'
import { isFields, type JsonObject, NotSold, ownOf, Pointed, type Spot } from './pointed.ts'

export interface Described {
  path: `/${string}`
  form: OperationForm
  tell: Tell
}

interface Around {
  form: SellForm
  /** The file itself, for its faults. */
  file: SellDocument
  /** The text of a file beside it. */
  beside(name: string): string
}

const mostOperations = 5_000
const methods: ReadonlySet<string> = new Set(['get', 'post', 'put', 'patch', 'delete', 'head', 'options'])

interface DescribedFile {
  sold: readonly Described[]
  /** Those of the document. More may come while its operations are made. */
  faults(): readonly Fault[]
}

export function describedIn({ form, file, beside }: Around): DescribedFile {
  const { openapi } = form
  if (openapi === undefined) return { sold: [], faults: () => [] }
  let text: string
  try {
    text = beside(openapi)
  } catch (error) {
    file.fault(['openapi'], (error as Error).message)
    return { sold: [], faults: () => [] }
  }
  const document = new SellDocument(text, { isLarge: true })
  const faults = () => document.faults.map(fault => ({ ...fault, file: openapi }))
  if (document.faults.length) return { sold: [], faults }
  const pointed = new Pointed(document)
  const sold = new Reading(pointed, form, file).sold()
  return { sold, faults }
}

class Reading {
  readonly #pointed: Pointed
  readonly #form: SellForm
  readonly #file: SellDocument

  constructor(pointed: Pointed, form: SellForm, file: SellDocument) {
    this.#pointed = pointed
    this.#form = form
    this.#file = file
  }

  sold(): Described[] {
    const { root } = this.#pointed
    const version = ownOf(root.value, 'openapi')
    if (typeof version !== 'string' || !/^3\.[01]\.\d+$/.test(version)) {
      this.#pointed.fault(['openapi'], 'it should be a document of OpenAPI 3.0 or 3.1')
      return []
    }
    const calls = this.#or(() => callsIn(this.#pointed), new Map<string, FoundCall | 'twice'>())
    return Object.keys(this.#form.prices).flatMap(id => {
      const call = calls.get(id)
      if (call && call !== 'twice') return this.#described(call) ?? []
      const known = [...calls.keys()].slice(0, 20).join(', ').slice(0, 400)
      const message = call
        ? 'two operations of the document have this name'
        : `the document has no such operation; there are ${known}`
      this.#file.fault(['prices', id], message, { isName: true })
      return []
    })
  }

  /** What is not sold is a fault at its place of the document. */
  #or<T>(read: () => T, otherwise: T): T {
    try {
      this.#pointed.begin()
      return read()
    } catch (error) {
      if (!(error instanceof NotSold)) throw error
      this.#pointed.fault(error.path, error.message)
      return otherwise
    }
  }

  #described(call: FoundCall): Described | undefined {
    const priced = this.#pricedOf(call.id)
    const server = this.#or(() => this.#serverOf(call), undefined)
    if (server === undefined) return undefined
    if (call.method !== 'GET' && call.method !== 'POST') {
      this.#pointed.fault(call.operation.path, 'of the methods, GET and POST are sold')
      return undefined
    }
    const around = { pointed: this.#pointed, server, file: this.#form }
    const read = this.#or(() => callOf(around, call, priced), undefined)
    if (!read) return undefined
    const tell = this.#tellOf(call, read.places)
    const form = operationForm.safeParse(read.raw)
    for (const { path, message } of form.error?.issues ?? []) tell(path, message)
    if (!form.data) return undefined
    return { path: (priced.path ?? pathOf(call.id)) as `/${string}`, form: form.data, tell }
  }

  #pricedOf(id: string): Priced {
    const said = ownOf(ownOf(this.#file.value, 'prices'), id)
    return isFields(said) ? (said as Priced) : { price: said }
  }

  /** A fault stands where somebody can mend it: in the file, if the file says it, else in the document. */
  #tellOf({ id, operation }: FoundCall, places: ReadonlyMap<string, Path>): Tell {
    return (path, message, options) => {
      const [word, name] = path
      const [, part, ...rest] = path
      if (word === 'from' && (part === 'headers' || part === 'query') && this.#file.has([part, ...rest]))
        return this.#file.fault([part, ...rest], message, options)
      if (this.#file.has(['prices', id, word as string]))
        return this.#file.fault(['prices', id, ...path], message, options)
      const place = (word === 'question' && places.get(String(name))) || operation.path
      this.#pointed.fault(place, `${path.map(String).join('.')}: ${message}`)
    }
  }

  /** One host for all of them: that of the file, or the first of the document. */
  #serverOf({ item, operation }: FoundCall): string {
    const { root } = this.#pointed
    const own = [operation, item].find(spot => ownOf(spot.value, 'servers') !== undefined)
    const { server } = this.#form
    if (server !== undefined) return server.replace(/\/$/, '')
    const first = this.#addressIn(root)
    const address = own ? this.#addressIn(own) : first
    if (new URL(address).origin !== new URL(first).origin)
      throw new NotSold(own ?? root, 'it leads to another host than the document: say server in the file')
    return address
  }

  #addressIn(spot: Spot): string {
    const [first] = this.#pointed.each(this.#pointed.of(spot, 'servers'))
    const url = ownOf(first?.value, 'url')
    const at = first ?? spot
    if (typeof url !== 'string' || !serverForm.test(url) || !URL.canParse(url))
      throw new NotSold(
        at,
        'its first server should be an address without {variables}: say server in the file',
      )
    const { protocol, port } = new URL(url)
    try {
      readPublicUrl(url, {
        schemes: [protocol.slice(0, -1)],
        ports: [Number(port) || (protocol === 'http:' ? 80 : 443)],
      })
    } catch {
      throw new NotSold(at, 'its first server is no public address: say server in the file, if you mean it')
    }
    return url.replace(/\/$/, '')
  }
}

function callsIn(pointed: Pointed): Map<string, FoundCall | 'twice'> {
  const calls = new Map<string, FoundCall | 'twice'>()
  const paths = ownOf(pointed.root.value, 'paths')
  if (!isFields(paths)) throw new NotSold({ path: ['paths'] }, 'it should have paths')
  for (const [path, value] of Object.entries(paths))
    for (const [method, operation] of Object.entries(isFields(value) ? value : {})) {
      if (!methods.has(method) || calls.size > mostOperations) continue
      const own = ownOf(operation, 'operationId')
      const id = typeof own === 'string' ? own : `${method} ${path}`
      calls.set(id, calls.has(id) ? 'twice' : foundAt(path, method, id, value as JsonObject, operation))
    }
  return calls
}

function foundAt(path: string, method: string, id: string, item: JsonObject, operation: unknown): FoundCall {
  const at = ['paths', path]
  return {
    ...{ id, path, method: method.toUpperCase() },
    item: { value: item, path: at },
    operation: { value: operation, path: [...at, method] },
  }
}

/** getTide is sold at /get-tide. */
const pathOf = (id: string): string =>
  `/${id
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
    .join('-')
    .toLowerCase()}`
