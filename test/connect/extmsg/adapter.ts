import type { Server } from 'bun'

/** Request to an adapter. */
interface Published {
  path: string
  headers: Record<string, string>
  body: unknown
}

/** An adapter of a messenger: a real server, which answers as the test says. */
export interface TestAdapter extends AsyncDisposable {
  readonly url: string
  /** Requests, oldest first. */
  readonly asked: Published[]
  /** Sets its responses from now on; by default it delivers. */
  answer: (request: Request) => Response | Promise<Response>
  /** Resolves once it was asked so often. */
  whenAsked(times: number): Promise<void>
  server: Server<undefined>
}

export function startAdapter(): TestAdapter {
  const asked: Published[] = []
  let news = Promise.withResolvers<void>()
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      asked.push({ path: pathname, headers: Object.fromEntries(request.headers), body: await request.json() })
      news.resolve()
      news = Promise.withResolvers()
      return adapter.answer(request)
    },
  })
  const adapter: TestAdapter = {
    url: `http://127.0.0.1:${server.port}`,
    asked,
    server,
    answer: () => Response.json({ delivered: true, message_id: `ext-${asked.length}` }),
    async whenAsked(times) {
      while (asked.length < times) await news.promise
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  }
  return adapter
}
