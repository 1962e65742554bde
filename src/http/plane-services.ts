import type { Server } from 'bun'
import { actorOf } from './actor-of.ts'
import { pathOf } from './authority.ts'
import type { ActiveRequests } from './exchange.ts'
import { Idempotency } from './idempotency.ts'
import type { PlaneServices } from './operation-handler.ts'
import type { PlaneOptions, SocketData } from './plane-options.ts'
import { type ProblemFormat, toAppError } from './problem.ts'
import type { RequestGuard } from './request-guard.ts'
import type { RequestMetrics } from './request-metrics.ts'
import { ResponseWriter } from './response-writer.ts'
import { createSseStream } from './sse.ts'
import { GONE_TIMEOUT_S, IDLE_TIMEOUT_S } from './timeouts.ts'

/** How many seconds the connection of a lagging reader stays when it still does not read. */
const STALLED_TIMEOUT_S = 10

/** What the operations of a plane work with. */
interface PlaneServicesOptions {
  options: PlaneOptions
  problems: ProblemFormat
  activeRequests: ActiveRequests
  guard: RequestGuard
  metrics: RequestMetrics
  /** The server that requests come from; undefined until the first. */
  server(): Server<SocketData> | undefined
}

/** What the operations of a plane share. */
export function createPlaneServices({
  options,
  problems,
  activeRequests,
  guard: gate,
  metrics,
  server,
}: PlaneServicesOptions): PlaneServices {
  const { clock, deadlines, heartbeatMs: heartbeat, stallTimeoutMs } = options
  const report = (error: unknown, { method, url }: Request, id: string) =>
    options.report(error, { id, method, path: pathOf(url) })
  const setTimeout = (request: Request, seconds: number) =>
    server()?.timeout(options.originalOf?.(request) ?? request, seconds)
  const hold = (request: Request) => setTimeout(request, 0)
  const disconnect = (request: Request) => () => setTimeout(request, GONE_TIMEOUT_S)
  const writer = options.writer ?? new ResponseWriter({ deadlines, stallTimeoutMs })
  return {
    activeRequests,
    disableTimeout: hold,
    restoreTimeout: (request) => void server()?.timeout(request, IDLE_TIMEOUT_S),
    idempotency: new Idempotency(
      (params) => options.replays?.(params),
      (error, { request, id }) => report(error, request, id),
    ),
    access: options.access,
    callerOf: (request) => gate.callerOf(request),
    recordChange: ({ id, caller, request: { method, url } }, summary) =>
      options.onChange?.({ id, actor: actorOf(caller).name, summary, method, path: new URL(url).pathname }),
    beginRead: (params) => void options.beginRead?.(params),
    index: (params) => options.index?.(params),
    waitForEvent(params, index, ms, exchange) {
      hold(exchange.request)
      return options.waitForEvent?.(params, index, ms, exchange.signal) ?? Promise.resolve()
    },
    writer,
    replacerFor: (request) => options.replacerFor?.(request),
    filterFor: (caller) => options.filterFor?.(caller),
    send(body, request) {
      hold(request)
      return writer.send(body, disconnect(request))
    },
    sendStream(stream, request) {
      hold(request)
      return writer.stream(stream.values(), disconnect(request))
    },
    stream(exchange, frames) {
      const { request, id, signal } = exchange
      hold(request)
      const endStream = metrics.beginStream()
      return createSseStream(frames, {
        ...{ clock, deadlines, signal, heartbeat, stallTimeoutMs },
        report: (error) => report(error, request, id),
        onStalled: () => server()?.timeout(request, STALLED_TIMEOUT_S),
        onEnd() {
          endStream()
          exchange.end()
        },
      })
    },
    upgrade: (request, connection, headers) => server()?.upgrade(request, { data: { connection }, headers }) ?? false,
    writeError(error, request, reply) {
      const appError = toAppError(error)
      if (appError !== error) report(error, request, String(reply.headers['x-gc-request-id']))
      reply.status = problems.status(appError)
      Object.assign(reply.headers, appError.headers, { 'content-type': problems.media })
      const body = JSON.stringify(problems.body(appError))
      return options.filterFor?.(gate.callerOf(request))?.strike(body) ?? body
    },
  }
}
