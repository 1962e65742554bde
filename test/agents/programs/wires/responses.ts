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

interface Item {
  type?: string
  role?: string
  content?: string | { text?: string }[]
  output?: string | { text?: string }[]
}

interface ResponsesRequest {
  model: string
  stream?: boolean
  input: Item[]
  tools?: { name?: string }[]
}

const pieces = ({ type, role, content, output }: Item): Piece[] => {
  if (type === 'function_call_output') return [{ by: 'tool', text: textOf(output) }]
  return role === 'user' ? [{ by: 'user', text: textOf(content) }] : []
}

/** The responses API, as Codex uses it: always as a stream. */
export const responses: Wire = {
  fits: (path) => path === '/v1/responses',
  parseRequest(body): ModelRequest {
    const { model, input, tools } = body as ResponsesRequest
    const names = (tools ?? []).flatMap(({ name }) => name ?? [])
    return { model, stream: true, tools: names, ...splitPieces(input.flatMap(pieces)) }
  },
  answer(reply, _, count) {
    const id = `resp_${count}`
    const items = itemsOf(reply, count)
    const usage = {
      input_tokens: TAKEN.input,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: TAKEN.output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: TAKEN.input + TAKEN.output,
    }
    return events([
      ['response.created', { response: { id } }],
      ...items.flatMap((item, output_index) => [
        [
          'response.output_item.added',
          { output_index, item: { ...item, ...('content' in item && { content: [] }) } },
        ] as const,
        ...deltas(item, output_index),
        ['response.output_item.done', { output_index, item }] as const,
      ]),
      ['response.completed', { response: { id, status: 'completed', output: items, usage } }],
    ])
  },
}

interface MessageItem {
  type: 'message'
  id: string
  content: { type: 'output_text'; text: string; annotations: [] }[]
}

type OutputItem = MessageItem | { type: 'function_call'; id: string }

function itemsOf(reply: Reply, count: number): OutputItem[] {
  const text = said(reply)
  const message = {
    ...{ type: 'message' as const, id: `msg_${count}`, role: 'assistant', status: 'completed' },
    content: [{ type: 'output_text' as const, text: text ?? '', annotations: [] as [] }],
  }
  const spoken = text === undefined ? [] : [message]
  if ('text' in reply) return spoken
  const call = {
    ...{ type: 'function_call' as const, id: `fc_${count}`, call_id: `call_${count}`, status: 'completed' },
    ...{ name: reply.tool, arguments: JSON.stringify(reply.input) },
    ...(reply.namespace !== undefined && { namespace: reply.namespace }),
  }
  return [...spoken, call]
}

const deltas = (item: OutputItem, output_index: number) =>
  item.type === 'message'
    ? item.content.map(
        ({ text }) =>
          ['response.output_text.delta', { item_id: item.id, output_index, content_index: 0, delta: text }] as const,
      )
    : []
