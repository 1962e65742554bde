#!/usr/bin/env node
import { createInterface } from 'node:readline'

/** An MCP server with one tool, `lookup`. */
const RESULTS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'notes', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({
    tools: [{ name: 'lookup', description: 'Looks up a note', inputSchema: { type: 'object', properties: {} } }],
  }),
  'tools/call': () => ({ content: [{ type: 'text', text: `a note of ${process.argv[2]}` }] }),
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  const result = RESULTS[method]?.(params ?? {})
  if (id === undefined) continue
  const answer = result ? { result } : { error: { code: -32601, message: `no method ${method}` } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`)
}
