/** What a model was asked, boiled down. */
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

/** One way in which programs talk to models. */
export interface Wire {
  /** Whether a request of this path wants an answer of the model. */
  fits(path: string): boolean
  asked(body: unknown, path: string): Asked
  /** An answer, as a stream where one is asked for; `count` numbers it. */
  answer(reply: Reply, asked: Asked, count: number): Response
}

/** What every answer is said to have taken, in tokens; of the input some was read before. */
export const TAKEN = { input: 100, output: 10 } as const

/** A piece of a conversation in the order of its telling: a person's words, or what a tool gave. */
export interface Piece {
  by: 'user' | 'tool'
  text: string
}

/** Tells a person's texts from what tools gave since the last of them. */
export function told(pieces: readonly Piece[]): Pick<Asked, 'user' | 'results'> {
  const last = pieces.findLastIndex(({ by }) => by === 'user')
  return {
    user: pieces.filter(({ by }) => by === 'user').map(({ text }) => text),
    results: pieces.slice(last + 1).map(({ text }) => text),
  }
}

/** A stream of named events, as most wires have it. */
export const events = (list: readonly (readonly [string, object])[]): Response =>
  stream(list.map(([type, data]) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`))

export const stream = (frames: readonly string[]): Response =>
  new Response(frames.join(''), { headers: { 'content-type': 'text/event-stream' } })

/** A content that is a text, or a list of parts with texts. */
export const textOf = (content: string | readonly { text?: string }[] | null | undefined): string =>
  typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('')
