/** A shop whose messages of MCP are refused: what is answered to each. */
import { openSelling } from '../selling.ts'

interface Refused {
  error: { message: string; data: Record<string, unknown> }
}

export async function openPost() {
  const shop = await openSelling({ freeCallsADay: 10 })
  const post = async (body: unknown, headers = {}) => {
    const answer = await shop.ask({ path: '/mcp', body: JSON.stringify(body), headers })
    return (await answer.json()) as Refused
  }
  return { ...shop, post }
}
