import { chat } from './wires/chat.ts'
import { gemini } from './wires/gemini.ts'
import { messages } from './wires/messages.ts'
import { responses } from './wires/responses.ts'
import type { ModelRequest, ProviderError, Reply } from './wires/wire.ts'

export type { ModelRequest, ProviderError, Reply } from './wires/wire.ts'

/** The model's part of a conversation: its next reply, or an error of its provider, given the conversation so far; `body` is what was sent. */
export type Script = (request: ModelRequest, body: string) => Reply | ProviderError

const WIRES = [chat, responses, messages, gemini]
/** A program at work always offers a tool to run commands; a request for a title offers none. */
const SHELLS = new Set(['bash', 'exec_command', 'Bash', 'run_shell_command', 'exit_plan_mode'])

/** A model on loopback that follows a script, speaks the protocol of every tested program, and records the requests. */
export class ModelServer {
  readonly requests: ModelRequest[] = []
  /** Request bodies as sent by the programs. */
  readonly bodies: string[] = []
  /** Requests that could not be parsed; a test expects none. */
  readonly strays: string[] = []
  readonly #server: Bun.Server<undefined>
  readonly #waiting = new Set<() => void>()
  #calls = 0
  #held: Promise<void> | undefined

  constructor(private readonly script: Script) {
    this.#server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      idleTimeout: 0,
      fetch: (request) => this.#answer(request),
    })
  }

  /** The requests that offered tools: the turns of the work, without titles and summaries. */
  get conversations(): ModelRequest[] {
    return this.requests.filter(works)
  }

  /** Waits for the first matching request and returns it. */
  async until(wanted: (request: ModelRequest) => boolean): Promise<ModelRequest> {
    for (;;) {
      const conversation = this.conversations.find(wanted)
      if (conversation) return conversation
      await new Promise<void>((resolve) => this.#waiting.add(resolve))
    }
  }

  /** The address of the server. */
  get origin(): string {
    return `http://127.0.0.1:${this.#server.port}`
  }

  /** Base URL for most programs. */
  get url(): string {
    return `${this.origin}/v1`
  }

  /** Delays the model's replies until the returned function is called. */
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
    if (pathname === '/v1/models') return Response.json({ object: 'list', data: [] })
    const wire = request.method === 'POST' ? WIRES.find((one) => one.fits(pathname)) : undefined
    if (!wire) {
      this.strays.push(`${request.method} ${pathname}`)
      return Response.json({ error: { message: `nothing at ${pathname}` } }, { status: 404 })
    }
    const body = await request.text()
    this.bodies.push(body)
    const parsed = wire.parseRequest(JSON.parse(body), pathname)
    this.requests.push(parsed)
    for (const wake of this.#waiting) wake()
    this.#waiting.clear()
    await this.#held
    const reply = works(parsed) ? this.script(parsed, body) : { text: 'A title' }
    if ('status' in reply) return Response.json(reply.body, { status: reply.status, headers: reply.headers ?? {} })
    return wire.answer(reply, parsed, ++this.#calls)
  }
}

const works = ({ tools }: ModelRequest): boolean => tools.some((tool) => SHELLS.has(tool))
