/** What MCP shows at a host: tools, resources, prompts and instructions. All are derived from the origins there. */
import type { ServerOptions } from '@modelcontextprotocol/sdk/server/index.js'
import type { CallToolResult, Implementation, Resource, Tool } from '@modelcontextprotocol/sdk/types.js'
import manifest from '../../../package.json' with { type: 'json' }
import type { FreeRoute } from '../../offer/operation.ts'
import type { OpenOrigin } from '../../offer/origin.ts'
import { answerOf } from '../answers.ts'
import { titlesOf } from '../catalog/offered.ts'
import type { Caller, Selling } from './call.ts'
import { freeTools } from './free-tools.ts'
import { type Journey, journeysOf } from './journeys.ts'
import { told } from './results.ts'
import { type ServiceInfo, serviceInfoTool } from './service-info.ts'
import { priced, type SoldTool, soldBy, tellings, tryItFree } from './tools.ts'
import { freeCallsADay } from './trials.ts'

export interface Shown {
  server: Implementation
  options: Pick<ServerOptions, 'instructions'> & { capabilities: object }
  /** All tools, in the order of their list. */
  tools: ListedTool[]
  sold: ReadonlyMap<string, SoldTool>
  free: ReadonlyMap<string, (given: Record<string, unknown>, caller: Caller) => Promise<CallToolResult>>
  resources: Resource[]
  read: ReadonlyMap<string, () => Promise<{ mimeType: string; text: string }>>
  journeys: readonly Journey[]
}

interface ListedTool {
  /** The name of its origin. Absent: it is about the service, and in every list. */
  origin?: string
  tool: Tool
  /** In a list of chosen tools, the most telling first, each with its length. */
  tellings: readonly { tool: Tool; bytes: number }[]
}

const listed = (origin: string | undefined, tool: Tool, all: readonly Tool[] = [tool]): ListedTool => ({
  ...(origin !== undefined && { origin }),
  tool,
  tellings: all.map(each => ({ tool: each, bytes: Buffer.byteLength(JSON.stringify(each)) + 1 })),
})

export interface McpOptions extends ServiceInfo {
  selling: Selling
  /** The catalog of paid operations. */
  catalog(origins: readonly OpenOrigin[]): object
  /** The address for MCP clients, if no origin has its host. */
  url?: string
}

const mimeType = 'application/json'

export function shownAt(origins: readonly OpenOrigin[], options: McpOptions): Shown {
  const { selling, catalog } = options
  const sold = soldBy(origins)
  const free = freeTools(origins, selling)
  const preview = origins.flatMap(({ free }) => free).find(({ path }) => path === '/preview')
  const pages = [
    {
      resource: { uri: 'farebox://catalog', name: 'catalog', title: 'What is sold', mimeType },
      read: async () => JSON.stringify(catalog(origins)),
    },
    ...origins.flatMap(({ free }) => free.filter(asksNothing).map(route => pageOf(route, selling))),
  ]
  const { tool: info, call: informed } = serviceInfoTool(origins, sold, options)
  return {
    server: { name: 'farebox', title: 'Farebox', version: origins[0]?.version ?? manifest.version },
    options: {
      capabilities: { tools: {}, resources: {}, prompts: {} },
      instructions: instructions(origins, sold),
    },
    tools: [
      ...sold.map(each => listed(each.origin.name, priced(each), tellings(each))),
      ...free.map(({ tool, origin }) => listed(origin, tool)),
      ...[info, tryItFree].map(tool => listed(undefined, tool)),
    ],
    sold: new Map(sold.map(each => [each.name, each])),
    free: new Map([
      ...free.map(({ tool, call }) => [tool.name, call] as const),
      [info.name, async given => informed(given)],
      [
        tryItFree.name,
        async (_, { name }) =>
          toldOf({
            ...(await trying(sold, name, selling)),
            ...(preview && { preview: JSON.parse(await answerOf(preview, {}, selling)) }),
          }),
      ],
    ]),
    resources: pages.map(({ resource }) => resource),
    read: new Map(
      pages.map(({ resource, read }) => [resource.uri, async () => ({ mimeType, text: await read() })]),
    ),
    journeys: journeysOf(sold),
  }
}

/** A resource is read without a question. A route that takes an empty question may still refuse it: its example tells. */
const asksNothing = ({ example }: FreeRoute): boolean => Object.keys(example.request as object).length === 0

const pageOf = (route: FreeRoute, selling: Selling) => ({
  resource: { uri: `farebox:/${route.path}`, name: route.id, title: route.title, mimeType },
  read: () => answerOf(route, route.request.parse({}), selling),
})

const toldOf = (answer: object): CallToolResult => told(JSON.stringify(answer))

async function trying(sold: readonly SoldTool[], asking: string, { trials }: Selling) {
  const free = sold.filter(({ operation }) => operation.trial)
  const [first] = free
  return {
    free_calls_a_day: freeCallsADay,
    free_calls_left: await trials.left(asking),
    free_tools: free.map(({ name, operation }) => ({ tool: name, arguments: operation.example.request })),
    ...(first && {
      sample: {
        tool: first.name,
        question: first.operation.example.request,
        answer: first.operation.example.response,
      },
    }),
  }
}

const instructions = (
  origins: readonly OpenOrigin[],
  sold: readonly SoldTool[],
): string => `${titlesOf(origins)}.

Each tool says its price. Called without a payment it tells what to pay: the x402 payment requirements. Sign one entry of \`accepts\` and call again with the payment in _meta["x402/payment"], or as the argument \`payment\` (the object, or its base64). The answer has a \`receipt\`, and the settlement is in _meta["x402/payment-response"]. A call that fails is never charged. \`fields\` names the fields of the answer that you want.

Without a wallet you have ${freeCallsADay} free calls a day in all of: ${sold.flatMap(({ name, operation }) => (operation.trial ? name : [])).join(', ')}.

Send an \`idempotency_key\` of 8 to 128 visible characters with a call that you pay. Was its answer lost? The same key and arguments get it again for 10 minutes, and so does the same payment for two minutes: nothing is charged again. From elsewhere, sign extensions["sign-in-with-x"].info of the refusal with the wallet that paid, and add {...info, chainId, type, address, signature} as _meta["x402/sign-in-with-x"]: a text, its JSON in base64.

get_service_info tells all about one tool; try_it_free what is left of your free calls. /mcp?tools= lists chosen tools and origins alone.`
