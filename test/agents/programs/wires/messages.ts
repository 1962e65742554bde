import { events, type ModelRequest, type Piece, splitPieces, TAKEN, textOf, type Wire } from './wire.ts'

interface Block {
  type: string
  text?: string
  content?: string | { text?: string }[]
}

interface MessagesRequest {
  model: string
  stream?: boolean
  messages: { role: string; content: string | Block[] }[]
  tools?: { name: string }[]
}

/** Tool results are sent with the user role, in a message without other text. */
function pieces({ role, content }: MessagesRequest['messages'][number]): Piece[] {
  if (role !== 'user') return []
  const given = typeof content === 'string' ? [] : content.filter(({ type }) => type === 'tool_result')
  if (given.length > 0) return given.map((block) => ({ by: 'tool', text: textOf(block.content) }))
  return [{ by: 'user', text: textOf(content) }]
}

/** The messages API, as Claude Code uses it. */
export const messages: Wire = {
  fits: (path) => path === '/v1/messages',
  parseRequest(body): ModelRequest {
    const { model, stream, messages, tools } = body as MessagesRequest
    const names = (tools ?? []).map(({ name }) => name)
    return { model, stream: stream === true, tools: names, ...splitPieces(messages.flatMap(pieces)) }
  },
  answer(reply, { model, stream }, count) {
    const block =
      'text' in reply
        ? { type: 'text', text: reply.text }
        : { type: 'tool_use', id: `toolu_${count}`, name: reply.tool, input: reply.input }
    const stop_reason = 'text' in reply ? 'end_turn' : 'tool_use'
    const usage = { input_tokens: TAKEN.input, output_tokens: TAKEN.output }
    const message = { id: `msg_${count}`, type: 'message', role: 'assistant', model, stop_sequence: null, usage }
    if (!stream) return Response.json({ ...message, content: [block], stop_reason })
    const [begun, delta] =
      'text' in reply
        ? [
            { ...block, text: '' },
            { type: 'text_delta', text: reply.text },
          ]
        : [
            { ...block, input: {} },
            { type: 'input_json_delta', partial_json: JSON.stringify(reply.input) },
          ]
    return events([
      ['message_start', { message: { ...message, content: [], stop_reason: null } }],
      ['content_block_start', { index: 0, content_block: begun }],
      ['content_block_delta', { index: 0, delta }],
      ['content_block_stop', { index: 0 }],
      ['message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: TAKEN.output } }],
      ['message_stop', {}],
    ])
  },
}
