import { ApiError, Unreachable } from './errors.ts'
import { reasonOf } from './reason.ts'
import { parseFrames, type ReceivedFrame } from './sse.ts'

/** Schedules timers; the process that uses the client provides them. */
export interface Timers {
  after(ms: number, run: () => void): { cancel(): void }
}

export interface FollowOptions {
  signal: AbortSignal
  timers: Timers
  /** Begins after the frame with this id; without one, with what happens from now on. */
  after?: string
  /** Called when the stream connects and when it disconnects; it reconnects automatically. */
  onStateChange?: (state: 'connected' | 'disconnected') => void
}

/** Opens a stream after the frame with the given id. */
export type OpenStream = (after: string | undefined, signal: AbortSignal) => Promise<Response>

/** The server sends a frame at least every 15 s; a stream that is silent for longer is taken for dead. */
const MAX_SILENCE_MS = 40_000
const MIN_BACKOFF_MS = 200
const MAX_BACKOFF_MS = 10_000
/** Maximum retries for a known city: a restarted supervisor responds before its cities do. */
const MAX_STARTING_RETRIES = 7

/**
 * Follows a stream until the signal aborts. Reconnects after the last id it received, with a backoff that grows after
 * each failure, and throws when the server rejects the request. Heartbeats are dropped; `gap` frames are passed on.
 */
export async function* follow(open: OpenStream, options: FollowOptions): AsyncGenerator<ReceivedFrame> {
  let after = options.after
  let backoff = MIN_BACKOFF_MS
  let startingRetries = 0
  const onConnect = () => {
    startingRetries = MAX_STARTING_RETRIES
    options.onStateChange?.('connected')
  }
  while (!options.signal.aborted) {
    try {
      for await (const frame of readConnection(open, after, { ...options, onConnect })) {
        backoff = MIN_BACKOFF_MS
        if (frame.id !== undefined) after = frame.id
        if (frame.event !== 'heartbeat') yield frame
      }
    } catch (error) {
      if (options.signal.aborted) return
      if (!isTemporary(error) && !(isStarting(error) && startingRetries-- > 0)) throw error
    }
    if (options.signal.aborted) return
    options.onStateChange?.('disconnected')
    await pause(backoff, options)
    backoff = Math.min(backoff * 2, MAX_BACKOFF_MS)
  }
}

interface ConnectionOptions extends FollowOptions {
  onConnect(): void
}

/** The frames of one connection, until it ends or falls silent. */
async function* readConnection(
  open: OpenStream,
  after: string | undefined,
  options: ConnectionOptions,
): AsyncGenerator<ReceivedFrame> {
  const ended = new AbortController()
  const signal = AbortSignal.any([options.signal, ended.signal])
  const startTimer = () => options.timers.after(MAX_SILENCE_MS, () => ended.abort(new Error('the stream fell silent')))
  let timer = startTimer()
  try {
    const response = await open(after, signal)
    options.onConnect()
    for await (const frame of parseFrames(readBytes(response, signal))) {
      timer.cancel()
      timer = startTimer()
      yield frame
    }
  } finally {
    timer.cancel()
    ended.abort()
  }
}

/** The bytes of a response; throws `Unreachable` when the connection breaks. */
async function* readBytes(response: Response, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  if (!response.body) return
  const reader = response.body.getReader()
  const stop = () => void reader.cancel().catch(() => undefined)
  signal.addEventListener('abort', stop, { once: true })
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error) => {
        throw new Unreachable(response.url, reasonOf(error))
      })
      if (done) return
      yield value
    }
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
  }
}

/** True if another attempt may succeed: the connection failed, or a gateway or the server is not ready. */
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
