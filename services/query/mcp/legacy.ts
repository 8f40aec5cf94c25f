/** The versions of MCP that begin with `initialize`: up to 2025-11-25. No session is kept, so each request is complete. */
import {
  CallToolRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import type { McpMethods } from './answers.ts'
import { exchange, jsonSchemaValidator, type Messages } from './exchange.ts'
import type { Shown } from './shown.ts'
import { StrictServer } from './strict-server.ts'

export function answeredWithGreeting(
  methods: McpMethods,
  { server: about, options }: Shown,
  sent: Messages,
): Promise<{ status: number; text: string }> {
  const server = new StrictServer(about, { ...options, jsonSchemaValidator })
  server.setRequestHandler(ListToolsRequestSchema, () => methods['tools/list']())
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => methods['tools/call'](params))
  server.setRequestHandler(ListResourcesRequestSchema, () => methods['resources/list']())
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => methods['resources/read'](params))
  server.setRequestHandler(ListPromptsRequestSchema, () => methods['prompts/list']())
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => methods['prompts/get'](params))
  return exchange(server, sent)
}
