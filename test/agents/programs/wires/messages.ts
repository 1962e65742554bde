import {
  events,
  type ModelRequest,
  type Piece,
  type Reply,
  said,
  splitPieces,
  TAKEN,
  textOf,
  type Wire,
} from './wire.ts'

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
    const text = said(reply)
    const blocks = [
      ...(text === undefined ? [] : [textBlock(text)]),
      ...('text' in reply ? [] : [toolBlock(reply, count)]),
    ]
    const stop_reason = 'text' in reply ? 'end_turn' : 'tool_use'
    const usage = { input_tokens: TAKEN.input, output_tokens: TAKEN.output }
    const message = { id: `msg_${count}`, type: 'message', role: 'assistant', model, stop_sequence: null, usage }
    if (!stream) return Response.json({ ...message, content: blocks.map(({ whole }) => whole), stop_reason })
    return events([
      ['message_start', { message: { ...message, content: [], stop_reason: null } }],
      ...blocks.flatMap(({ begun, delta }, index) => [
        ['content_block_start', { index, content_block: begun }] as const,
        ['content_block_delta', { index, delta }] as const,
        ['content_block_stop', { index }] as const,
      ]),
      ['message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: TAKEN.output } }],
      ['message_stop', {}],
    ])
  },
}

/** A part of an answer: whole, and as a stream begins and fills it. */
interface AnswerBlock {
  whole: object
  begun: object
  delta: object
}

const textBlock = (text: string): AnswerBlock => ({
  whole: { type: 'text', text },
  begun: { type: 'text', text: '' },
  delta: { type: 'text_delta', text },
})

function toolBlock({ tool, input }: Extract<Reply, { tool: string }>, count: number): AnswerBlock {
  const block = { type: 'tool_use', id: `toolu_${count}`, name: tool }
  const delta = { type: 'input_json_delta', partial_json: JSON.stringify(input) }
  return { whole: { ...block, input }, begun: { ...block, input: {} }, delta }
}
