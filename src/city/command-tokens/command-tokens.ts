import type { ProcessEnvironment, ProcessTokens } from '../../http/process-tokens.ts'
import type { SseFrame } from '../../http/sse.ts'

/** The token of a command that somebody runs for a city, as the first frame of a stream; it ends with the stream. */
export async function* lendCommandToken(
  tokens: ProcessTokens,
  name: string,
  signal: AbortSignal,
): AsyncGenerator<SseFrame> {
  const lent = Promise.withResolvers<ProcessEnvironment>()
  const ended = Promise.withResolvers<void>()
  const use = tokens.use(name, (identity) => {
    lent.resolve(identity)
    return ended.promise
  })
  const gone = new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
  try {
    yield { event: 'command_token', data: await lent.promise }
    await gone
  } finally {
    ended.resolve()
    await use
  }
}
