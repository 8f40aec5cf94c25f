/** A call of a tool, as it goes over the wire. */
export const message = (id: number, name: string, given: object = {}, _meta: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: given, _meta },
})
