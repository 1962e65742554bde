// A server of tools (Model Context Protocol) on its standard streams: one ships a version, the others ask a person.
import { createInterface } from 'node:readline'

const properties = { to: { type: 'string' }, version: { type: 'string' } }
const answers = {
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'deploy', version: '1' },
  },
  'tools/list': {
    tools: [
      { name: 'ship', description: 'Ships a version', inputSchema: { type: 'object', properties } },
      { name: 'confirm', description: 'Asks a person', inputSchema: { type: 'object', properties } },
      { name: 'plan', description: 'Has a person fill a form', inputSchema: { type: 'object', properties } },
    ],
  },
}
const QUESTION = {
  message: 'Shall version 1.2.3 be shipped to production?',
  requestedSchema: {
    type: 'object',
    properties: { sure: { type: 'boolean', title: 'Sure', description: 'Whether you are sure' } },
    required: ['sure'],
  },
}
const FORM = {
  message: 'Where shall version 1.2.3 go?',
  requestedSchema: {
    type: 'object',
    properties: {
      place: {
        type: 'string',
        title: 'Place',
        description: 'Where it goes',
        enum: ['staging', 'production', 'nowhere'],
        enumNames: ['Staging', 'Production', 'Nowhere at all'],
      },
      sizes: {
        type: 'array',
        title: 'Sizes',
        description: 'Which sizes',
        items: { type: 'string', enum: ['small', 'large', 'huge'] },
      },
      sure: { type: 'boolean', title: 'Sure', description: 'Whether you are sure' },
      note: { type: 'string', title: 'Note', description: 'What to say' },
    },
    required: ['place'],
  },
}

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const textOf = (text) => ({ content: [{ type: 'text', text }] })
const asked = new Map()

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, result } = JSON.parse(line)
  if (id === undefined) return
  if (method === undefined) return send({ id: asked.get(id), result: textOf(`The person: ${JSON.stringify(result)}`) })
  if (method !== 'tools/call') {
    const answer = answers[method]
    return send({ id, ...(answer ? { result: answer } : { error: { code: -32601, message: 'unknown' } }) })
  }
  if (params.name === 'ship') return send({ id, result: textOf('Shipped.') })
  asked.set(`ask-${id}`, id)
  send({ id: `ask-${id}`, method: 'elicitation/create', params: params.name === 'plan' ? FORM : QUESTION })
})
