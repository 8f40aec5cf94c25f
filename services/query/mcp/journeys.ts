/** The common journeys, as prompts: which tools answer such a question together, in which order, and what they cost. */
import { ErrorCode, type GetPromptResult, McpError, type Prompt } from '@modelcontextprotocol/sdk/types.js'
import { priceWords } from '../../offer/tariff.ts'
import { isObject } from '../../till/header.ts'
import type { SoldTool } from './tools.ts'

interface Plan {
  name: string
  title: string
  description: string
  arguments: { name: string; description: string; required: boolean }[]
  /** The tools that it takes. Where one of them is not sold, nobody is shown the way. */
  tools: readonly string[]
  text(given: Record<string, string>): string
}

export interface Journey {
  prompt: Prompt
  get(given: unknown): GetPromptResult
}

const plans: readonly Plan[] = [
  {
    name: 'research_company',
    title: 'Research a company',
    description:
      'What a US-listed company is, earns and owes, what its insiders do, and what it has reported lately.',
    arguments: [{ name: 'ticker', description: 'Its ticker, such as AAPL', required: true }],
    tools: ['data_company', 'sec_financials', 'sec_insiders', 'data_diligence'],
    text: ({ ticker }) =>
      `Research the company ${ticker}. Call data_company for who it is, its newest filings and its figures. If the question is about several years or quarters, add sec_financials; if it is about trades of its insiders, sec_insiders. For ratios and the material events of a year, call data_diligence in place of these. Cite the filings that the answers link to, and say which figures are derived.`,
  },
  {
    name: 'check_token',
    title: 'Check a token before a trade',
    description: 'Whether a token can be sold again, what it costs to trade it, and what its owner may do.',
    arguments: [
      { name: 'token', description: 'Its contract or mint', required: true },
      { name: 'chain', description: 'Its chain, such as ethereum', required: true },
      { name: 'wallet', description: 'The address that would trade', required: false },
    ],
    tools: ['chain_token', 'chain_check', 'chain_pretrade'],
    text: ({ token, chain, wallet }) =>
      `Check the token ${token} on ${chain} before a trade. Call chain_token for what it is: a name that copies a known token is a warning. Then call ${
        wallet
          ? `chain_pretrade for the wallet ${wallet}, the side and the amount: it holds all of chain_check`
          : 'chain_check'
      }: it tries a purchase and a sale on a copy of the state. Tell every warning with its evidence, the taxes and the depth of the pool. Do not call a token safe: the answers are facts, not a verdict.`,
  },
  {
    name: 'watch_seller',
    title: 'Watch an x402 seller',
    description: 'How an x402 seller does, and how its endpoint is watched for 30 days.',
    arguments: [{ name: 'url', description: 'An endpoint of the seller', required: true }],
    tools: ['market_seller', 'weigh_subscribe'],
    text: ({ url }) =>
      `Look at the x402 seller of ${url}. Call market_seller with its host for rank, calls, prices and competitors. To watch the endpoint for 30 days: call weigh_prepare (free) with the url and a webhookUrl, let the payee's wallet sign the message, and call weigh_subscribe with message and signature. Ask before you pay for a subscription: it is the dearest tool here.`,
  },
]

/** An argument is a name or an address. */
const longestArgument = 500

export const journeysOf = (sold: readonly SoldTool[]): Journey[] =>
  plans.flatMap(plan => {
    const tools = plan.tools.map(name => sold.find(each => each.name === name))
    return tools.every(tool => tool !== undefined) ? journeyOf(plan, tools) : []
  })

function journeyOf({ text, tools: _, ...prompt }: Plan, tools: readonly SoldTool[]): Journey {
  const prices = tools
    .map(({ name, operation }) => `${name} ${operation.prices ? priceWords(operation) : operation.price}`)
    .join(', ')
  return {
    prompt,
    get(given) {
      const asked = text(argumentsOf(prompt, given))
      const words = `${asked}\n\nPrices in USDC: ${prices}. Without a payment each tool tells what to pay; a call that fails is free.`
      return {
        description: prompt.description,
        messages: [{ role: 'user', content: { type: 'text', text: words } }],
      }
    },
  }
}

/** What a person has written stands in quotation marks, so that nobody takes it for our words. */
function argumentsOf({ arguments: known }: Pick<Plan, 'arguments'>, given: unknown): Record<string, string> {
  const sent = isObject(given) ? given : {}
  return Object.fromEntries(
    known.flatMap(({ name, required }) => {
      const value = Object.hasOwn(sent, name) ? sent[name] : undefined
      if (value === undefined && !required) return []
      if (typeof value !== 'string' || !value.trim() || value.length > longestArgument)
        throw new McpError(ErrorCode.InvalidParams, `${name}: a text of 1 to ${longestArgument} characters`)
      return [[name, JSON.stringify(value.trim())]]
    }),
  )
}
