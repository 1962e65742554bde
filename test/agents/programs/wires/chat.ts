import { type ModelRequest, type Reply, said, splitPieces, stream, TAKEN, textOf, type Wire } from './wire.ts'

interface ChatRequest {
  model: string
  stream?: boolean
  messages: { role: string; content?: string | { text?: string }[] | null }[]
  tools?: { function: { name: string } }[]
}

const USAGE = {
  prompt_tokens: TAKEN.input,
  completion_tokens: TAKEN.output,
  total_tokens: TAKEN.input + TAKEN.output,
}

/** Chat completions, the API of most model servers. */
export const chat: Wire = {
  fits: (path) => path === '/v1/chat/completions',
  parseRequest(body): ModelRequest {
    const { model, stream: streamed, messages, tools } = body as ChatRequest
    const pieces = messages.flatMap(({ role, content }) =>
      role === 'user' || role === 'tool' ? [{ by: role, text: textOf(content) } as const] : [],
    )
    return {
      model,
      stream: streamed === true,
      tools: (tools ?? []).map((tool) => tool.function.name),
      ...splitPieces(pieces),
    }
  },
  answer(reply, { model, stream: streamed }, count) {
    const whose = { id: `chatcmpl-${count}`, created: 0, model }
    return streamed ? chunks(reply, whose, count) : Response.json(whole(reply, whose, count))
  },
}

function chunks(reply: Reply, whose: object, count: number): Response {
  const frame = (more: object) => `data: ${JSON.stringify({ ...whose, object: 'chat.completion.chunk', ...more })}\n\n`
  const delta = (fields: object, finish: string | null = null) =>
    frame({ choices: [{ index: 0, delta: fields, finish_reason: finish }] })
  return stream([
    delta({ role: 'assistant', content: '' }),
    ...(said(reply)?.split(/(?<= )/) ?? []).map((content) => delta({ content })),
    ...('text' in reply ? [] : [delta({ tool_calls: [{ index: 0, ...call(reply, count) }] })]),
    delta({}, 'text' in reply ? 'stop' : 'tool_calls'),
    frame({ choices: [], usage: USAGE }),
    'data: [DONE]\n\n',
  ])
}

function whole(reply: Reply, whose: object, count: number): object {
  const content = { content: said(reply) ?? null, ...(!('text' in reply) && { tool_calls: [call(reply, count)] }) }
  const finish_reason = 'text' in reply ? 'stop' : 'tool_calls'
  const choice = { index: 0, message: { role: 'assistant', ...content }, finish_reason }
  return { ...whose, object: 'chat.completion', choices: [choice], usage: USAGE }
}

const call = ({ tool, input }: { tool: string; input: object }, count: number): object => ({
  ...{ id: `call_${count}`, type: 'function', function: { name: tool, arguments: JSON.stringify(input) } },
})
