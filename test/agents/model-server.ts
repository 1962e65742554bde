/** What a model was asked: one request to `/v1/chat/completions`, boiled down. */
export interface Asked {
  model: string
  stream: boolean
  /** Names of the tools it may call; none when only words are wanted, as for a title. */
  tools: string[]
  /** Texts of the person, in order. */
  user: string[]
  /** Outputs of the tools called since the last text of the person, in order. */
  results: string[]
}

/** What the model answers: some words, or one call of a tool. */
export type Reply = { text: string } | { tool: string; input: Record<string, unknown> }

/** The model's part of a conversation: what it answers, decided by what was said so far. */
export type Script = (asked: Asked) => Reply

interface Message {
  role: string
  content?: string | { type: string; text?: string }[] | null
}

interface ChatRequest {
  model: string
  stream?: boolean
  messages: Message[]
  tools?: { function: { name: string } }[]
}

/** An OpenAI-compatible model on loopback that follows a script, and remembers what it was asked. */
export class ModelServer {
  readonly asked: Asked[] = []
  /** Requests that were not understood; a test expects none. */
  readonly strays: string[] = []
  readonly #server: Bun.Server<undefined>
  #calls = 0
  #held: Promise<void> | undefined
  #onAsked: (() => void) | undefined

  constructor(
    private readonly script: Script,
    private readonly model = 'scripted',
  ) {
    this.#server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      idleTimeout: 0,
      fetch: (request) => this.#answer(request),
    })
  }

  /** What it was asked with tools at hand: the turns of the work, without titles and summaries. */
  get conversations(): Asked[] {
    return this.asked.filter(({ tools }) => tools.length > 0)
  }

  /** Waits until it has been asked something, and gives that back. */
  async until(wanted: (asked: Asked) => boolean): Promise<Asked> {
    for (;;) {
      const found = this.conversations.find(wanted)
      if (found) return found
      await new Promise<void>((resolve) => {
        this.#onAsked = resolve
      })
    }
  }

  /** What a program takes as its base URL. */
  get url(): string {
    return `http://127.0.0.1:${this.#server.port}/v1`
  }

  /** Makes the model think until the returned function is called. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#held = promise
    return resolve
  }

  stop(): Promise<void> {
    return this.#server.stop(true)
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    if (pathname === '/v1/models') return Response.json({ object: 'list', data: [{ id: this.model, object: 'model' }] })
    if (pathname !== '/v1/chat/completions' || request.method !== 'POST') {
      this.strays.push(`${request.method} ${pathname}`)
      return Response.json({ error: { message: `nothing at ${pathname}` } }, { status: 404 })
    }
    const asked = boil((await request.json()) as ChatRequest)
    this.asked.push(asked)
    this.#onAsked?.()
    await this.#held
    const reply = asked.tools.length > 0 ? this.script(asked) : { text: 'A title' }
    return asked.stream ? this.#stream(reply) : Response.json(this.#whole(reply))
  }

  #stream(reply: Reply): Response {
    const id = `chatcmpl-${++this.#calls}`
    const chunk = (delta: object, finish: string | null = null) =>
      `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created: 0, model: this.model, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
    const usage = { id, object: 'chat.completion.chunk', created: 0, model: this.model, choices: [], usage: USAGE }
    const frames = [
      chunk({ role: 'assistant', content: '' }),
      ...('text' in reply
        ? reply.text.split(/(?<= )/).map((content) => chunk({ content }))
        : [chunk({ tool_calls: [{ index: 0, ...this.#call(reply) }] })]),
      chunk({}, 'text' in reply ? 'stop' : 'tool_calls'),
      `data: ${JSON.stringify(usage)}\n\n`,
      'data: [DONE]\n\n',
    ]
    return new Response(frames.join(''), { headers: { 'content-type': 'text/event-stream' } })
  }

  #whole(reply: Reply): object {
    const message =
      'text' in reply
        ? { role: 'assistant', content: reply.text }
        : { role: 'assistant', content: null, tool_calls: [this.#call(reply)] }
    const choice = { index: 0, message, finish_reason: 'text' in reply ? 'stop' : 'tool_calls' }
    return {
      id: `chatcmpl-${++this.#calls}`,
      object: 'chat.completion',
      created: 0,
      model: this.model,
      choices: [choice],
      usage: USAGE,
    }
  }

  #call(reply: { tool: string; input: Record<string, unknown> }): object {
    const id = `call_${this.#calls}`
    return { id, type: 'function', function: { name: reply.tool, arguments: JSON.stringify(reply.input) } }
  }
}

const USAGE = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }

function boil({ model, stream, messages, tools }: ChatRequest): Asked {
  const lastUser = messages.findLastIndex((message) => message.role === 'user')
  const textsOf = (role: string, from = 0) =>
    messages
      .slice(from)
      .filter((message) => message.role === role)
      .map(textOf)
  return {
    model,
    stream: stream === true,
    tools: (tools ?? []).map((tool) => tool.function.name),
    user: textsOf('user'),
    results: textsOf('tool', lastUser + 1),
  }
}

const textOf = ({ content }: Message): string =>
  typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('')
