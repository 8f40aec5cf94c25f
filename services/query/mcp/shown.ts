/** What MCP shows at a host: tools, resources and instructions. All are derived from the origins there. */
import type { ServerOptions } from '@modelcontextprotocol/sdk/server/index.js'
import type { CallToolResult, Implementation, Resource, Tool } from '@modelcontextprotocol/sdk/types.js'
import manifest from '../../../package.json' with { type: 'json' }
import type { OpenOrigin } from '../../offer/origin.ts'
import { answerOf } from '../answers.ts'
import { titlesOf } from '../catalog/offered.ts'
import { type Caller, type Selling, told } from './call.ts'
import { freeTools } from './free-tools.ts'
import { aboutUs, priced, type SoldTool, soldBy } from './tools.ts'
import { freeCallsADay } from './trials.ts'

export interface Shown {
  server: Implementation
  options: ServerOptions
  tools: Tool[]
  /** Their length as JSON text. */
  toolsLength: number
  sold: ReadonlyMap<string, SoldTool>
  free: ReadonlyMap<string, (given: Record<string, unknown>, caller: Caller) => Promise<CallToolResult>>
  resources: Resource[]
  read: ReadonlyMap<string, () => Promise<{ mimeType: string; text: string }>>
}

export interface McpOptions {
  selling: Selling
  /** The answer of get_service_info. */
  info(origins: readonly OpenOrigin[]): Promise<object>
  /** The catalog of paid operations. */
  catalog(origins: readonly OpenOrigin[]): object
}

const mimeType = 'application/json'

export function shownAt(origins: readonly OpenOrigin[], { selling, info, catalog }: McpOptions): Shown {
  const sold = soldBy(origins)
  const free = freeTools(origins, selling)
  const preview = origins.flatMap(({ free }) => free).find(({ path }) => path === '/preview')
  const pages = [
    {
      resource: { uri: 'farebox://catalog', name: 'catalog', title: 'What is sold', mimeType },
      read: async () => JSON.stringify(catalog(origins)),
    },
    ...origins.flatMap(({ free }) =>
      free
        .filter(({ request }) => request.safeParse({}).success)
        .map(route => ({
          resource: { uri: `farebox:/${route.path}`, name: route.id, title: route.title, mimeType },
          read: () => answerOf(route, route.request.parse({}), selling),
        })),
    ),
  ]
  const tools = [...sold.map(priced), ...free.map(({ tool }) => tool), ...aboutUs]
  return {
    server: { name: 'farebox', title: 'Farebox', version: origins[0]?.version ?? manifest.version },
    options: {
      capabilities: { tools: {}, resources: {} },
      instructions: instructions(origins, sold),
      // The validator checks answers to questions from us, and we ask clients nothing. To build one takes most of a call.
      jsonSchemaValidator: {
        getValidator: () => {
          throw new Error('clients are asked for nothing')
        },
      },
    },
    tools,
    toolsLength: JSON.stringify(tools).length,
    sold: new Map(sold.map(each => [each.name, each])),
    free: new Map([
      ...free.map(({ tool, call }) => [tool.name, call] as const),
      ['get_service_info', async () => toldOf(await info(origins))],
      [
        'try_it_free',
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
  }
}

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

Each tool says its price. Call it without a payment and it tells what to pay: the x402 payment requirements, as the result. Sign one entry of \`accepts\` and call again with the payment in _meta["x402/payment"], or as base64 text in the argument \`payment\`. The answer has a \`receipt\`, and the settlement is in _meta["x402/payment-response"]. A call that fails is never charged.

Without a wallet you have ${freeCallsADay} free calls a day in all of: ${sold.flatMap(({ name, operation }) => (operation.trial ? name : [])).join(', ')}.

Was an answer lost? Present the same payment with the same arguments again within two minutes, or with the same _meta["farebox/idempotency-key"]: it is given again and not charged again. From elsewhere, sign extensions["sign-in-with-x"].info of the refusal with the wallet that paid, and add {...info, chainId, type, address, signature} as _meta["x402/sign-in-with-x"]: a text, its JSON in base64. get_service_info tells prices, networks and promises; try_it_free shows an answer and what is left of your free calls.`
