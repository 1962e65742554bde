// A server of one tool (Model Context Protocol) on its standard streams.
import { createInterface } from 'node:readline'

const properties = { to: { type: 'string' }, version: { type: 'string' } }
const answers = {
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'deploy', version: '1' },
  },
  'tools/list': {
    tools: [{ name: 'ship', description: 'Ships a version', inputSchema: { type: 'object', properties } }],
  },
  'tools/call': { content: [{ type: 'text', text: 'Shipped.' }] },
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  if (id === undefined) return
  const result = answers[method]
  const answer = result ? { result } : { error: { code: -32601, message: 'unknown' } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`)
})
