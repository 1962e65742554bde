/** A normalized request to a model. */
export interface ModelRequest {
  model: string
  stream: boolean
  /** The names of the available tools; none when only text is requested, as for a title. */
  tools: string[]
  /** The user messages, in order. */
  user: string[]
  /** The results of the tool calls since the last user message, in order. */
  results: string[]
}

/**
 * The model's reply: some text, or one tool call, before which it may say something; some APIs put the tools of a server
 * into a namespace.
 */
export type Reply =
  | { text: string }
  | { tool: string; namespace?: string; says?: string; input: Record<string, unknown> }

/** An error of the provider in place of a reply, as it sends it. */
export interface ProviderError {
  status: number
  headers?: Record<string, string>
  body: object
}

/** One API through which programs use models. */
export interface Wire {
  /** True if a request to this path expects a model reply. */
  fits(path: string): boolean
  parseRequest(body: unknown, path: string): ModelRequest
  /** A response, as a stream where one is requested; `count` numbers it. */
  answer(reply: Reply, request: ModelRequest, count: number): Response
}

/** The token usage that every response reports; part of the input comes from the cache. */
export const TAKEN = { input: 100, output: 10 } as const

/** One item of a conversation, in order: a user message or a tool result. */
export interface Piece {
  by: 'user' | 'tool'
  text: string
}

/** Separates the user messages from the tool results since the last of them. */
export function splitPieces(pieces: readonly Piece[]): Pick<ModelRequest, 'user' | 'results'> {
  const last = pieces.findLastIndex(({ by }) => by === 'user')
  return {
    user: pieces.filter(({ by }) => by === 'user').map(({ text }) => text),
    results: pieces.slice(last + 1).map(({ text }) => text),
  }
}

/** A stream of named events, as in most of these APIs. */
export const events = (list: readonly (readonly [string, object])[]): Response =>
  stream(list.map(([type, data]) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`))

export const stream = (frames: readonly string[]): Response =>
  new Response(frames.join(''), { headers: { 'content-type': 'text/event-stream' } })

/** Content that is a string, or a list of parts with text. */
export const textOf = (content: string | readonly { text?: string }[] | null | undefined): string =>
  typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('')

/** Text of a reply for people. */
export const said = (reply: Reply): string | undefined => ('text' in reply ? reply.text : reply.says)
