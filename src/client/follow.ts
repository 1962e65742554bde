import { ApiError, Unreachable } from './problem.ts'
import { parseFrames, type ReceivedFrame } from './sse.ts'

/** What can be armed: the process that uses the client says how. */
export interface Timers {
  after(ms: number, run: () => void): { cancel(): void }
}

export interface FollowOptions {
  signal: AbortSignal
  timers: Timers
  /** Where to begin: what is newer than this id. Absent: what happens from now on. */
  after?: string
  /** Hears when the stream opens and when it is lost; it comes back by itself. */
  onStateChange?: (now: 'open' | 'lost') => void
}

/** Opens a stream, from the given id on. */
export type OpenStream = (after: string | undefined, signal: AbortSignal) => Promise<Response>

/** The server says something at least every 15 s; after this long it is gone, whatever the socket believes. */
const MAX_SILENCE_MS = 40_000
const MIN_BACKOFF_MS = 200
const MAX_BACKOFF_MS = 10_000
/** How often a city that was there is asked for again: its supervisor came back before it did. */
const MAX_STARTING_RETRIES = 7

/**
 * Follows a stream until the signal aborts: it resumes after the last id it saw, waits longer after each failure,
 * and ends with the refusal when the server turns it down. Heartbeats stay inside; `gap` frames come through.
 */
export async function* follow(open: OpenStream, options: FollowOptions): AsyncGenerator<ReceivedFrame> {
  let after = options.after
  let wait = MIN_BACKOFF_MS
  let starting = 0
  const opened = () => {
    starting = MAX_STARTING_RETRIES
    options.onStateChange?.('open')
  }
  while (!options.signal.aborted) {
    try {
      for await (const frame of readOnce(open, after, { ...options, opened })) {
        wait = MIN_BACKOFF_MS
        if (frame.id !== undefined) after = frame.id
        if (frame.event !== 'heartbeat') yield frame
      }
    } catch (error) {
      if (options.signal.aborted) return
      if (!isTemporary(error) && !(isStarting(error) && starting-- > 0)) throw error
    }
    if (options.signal.aborted) return
    options.onStateChange?.('lost')
    await pause(wait, options)
    wait = Math.min(wait * 2, MAX_BACKOFF_MS)
  }
}

interface ConnectionOptions extends FollowOptions {
  opened(): void
}

async function* readOnce(
  open: OpenStream,
  after: string | undefined,
  options: ConnectionOptions,
): AsyncGenerator<ReceivedFrame> {
  const ended = new AbortController()
  const signal = AbortSignal.any([options.signal, ended.signal])
  let silence = options.timers.after(MAX_SILENCE_MS, () => ended.abort(new Error('the stream fell silent')))
  try {
    const response = await open(after, signal)
    options.opened()
    for await (const frame of parseFrames(readBytes(response, signal))) {
      silence.cancel()
      silence = options.timers.after(MAX_SILENCE_MS, () => ended.abort(new Error('the stream fell silent')))
      yield frame
    }
  } finally {
    silence.cancel()
    ended.abort()
  }
}

/** The bytes of a response; a connection that breaks is told from a fault of ours. */
async function* readBytes(response: Response, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  if (!response.body) return
  const reader = response.body.getReader()
  const stop = () => void reader.cancel().catch(() => undefined)
  signal.addEventListener('abort', stop, { once: true })
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error) => {
        throw new Unreachable(response.url, String(error))
      })
      if (done) return
      yield value
    }
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
  }
}

/** Worth another attempt: nobody answered, the connection broke, or the server said it is not ready. */
const isTemporary = (error: unknown): boolean =>
  error instanceof ApiError ? error.status >= 502 && error.status <= 504 : error instanceof Unreachable

const isStarting = (error: unknown): boolean => error instanceof ApiError && error.code === 'city-not-found'

function pause(ms: number, { timers, signal }: FollowOptions): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = timers.after(ms, resolve)
  const stop = () => {
    timer.cancel()
    resolve()
  }
  signal.addEventListener('abort', stop, { once: true })
  return promise.finally(() => signal.removeEventListener('abort', stop))
}
