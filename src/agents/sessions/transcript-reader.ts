import { AppError } from '../../core/errors.ts'
import type { Exchange } from '../../http/route.ts'
import type { SseFrame } from '../../http/sse.ts'
import type { SessionRepository, SessionResolver, SessionRow, SubAgent, SubAgents } from '../../work/sessions/index.ts'
import {
  openScreen,
  openStream,
  type Transcript,
  type TranscriptFormat,
  type TranscriptQuery,
  type Transcripts,
} from '../conversations/index.ts'

interface TranscriptReaderOptions {
  repository: SessionRepository
  resolver: SessionResolver
  transcripts: Transcripts
}

/** Facts about its request that a stream needs to open. */
interface StreamExchange extends Pick<Exchange, 'request' | 'signal' | 'response'> {
  readonly query: { format?: TranscriptFormat; after_cursor?: string; include_thinking?: boolean }
}

/** Reads the conversations of sessions, live and closed, for callers. */
export class TranscriptReader {
  constructor(private readonly options: TranscriptReaderOptions) {}

  get(token: string, query: TranscriptQuery): Promise<Transcript> {
    const { resolver, transcripts } = this.options
    return transcripts.get(resolver.resolve(token, { past: true }), query)
  }

  /** Opens the stream of a session's conversation. */
  async stream(token: string, { request, query, signal, response }: StreamExchange): Promise<AsyncIterable<SseFrame>> {
    const { resolver, repository, transcripts } = this.options
    const row = resolver.resolve(token, { past: true })
    const after = request.headers.get('last-event-id') || query.after_cursor
    const { format, include_thinking: thinking } = query
    const opened = await openStream(
      { transcripts, sessionRepository: repository },
      row,
      { format, after, thinking },
      signal,
    )
    Object.assign(response.headers, opened.headers)
    return opened.frames
  }

  /** Opens the stream of a session's screen. */
  screen(token: string, signal: AbortSignal, styles = false): Promise<AsyncIterable<SseFrame>> {
    const { resolver, repository, transcripts } = this.options
    const row = resolver.resolve(token, { past: true })
    return openScreen({ transcripts, sessionRepository: repository }, row, styles, signal)
  }

  /** Agents that a session's own agent started; none are known while its program keeps no log that can be read. */
  async subAgents(token: string): Promise<SubAgents> {
    const { resolver, transcripts } = this.options
    const row = resolver.resolve(token, { past: true })
    return (await transcripts.logs.subAgents(row)) ?? { agents: [] }
  }

  async subAgent(token: string, id: string): Promise<SubAgent> {
    const { transcripts } = this.options
    const subAgent = await transcripts.logs.subAgent(this.#rowOf(token, id), id)
    if (subAgent) return subAgent
    throw agentNotFound(token, id)
  }

  /** The conversation of a sub-agent, as turns unless another format is asked for. */
  async subAgentTranscript(token: string, id: string, format: TranscriptFormat = 'conversation'): Promise<Transcript> {
    const { transcripts } = this.options
    const transcript = await transcripts.logs.subAgentTranscript(this.#rowOf(token, id), id, format)
    if (transcript) return transcript
    throw agentNotFound(token, id)
  }

  #rowOf(token: string, agent: string): SessionRow {
    const row = this.options.resolver.resolve(token, { past: true })
    if (!agent.includes('/') && !agent.includes('..')) return row
    throw new AppError('invalid-request', `"${agent}" cannot name an agent`)
  }
}

const agentNotFound = (token: string, id: string) =>
  new AppError('agent-not-found', `agent ${id} of session ${token} is not known`)
