import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { say } from './figures.ts'
import { helper } from './helper.ts'

/**
 * A bare `Bun.serve` in a process of its own that answers every read with this JSON and the headers we send. A read with
 * `wait=` is held until somebody posts; who asks for a stream is sent this frame at every post, with the message posted.
 */
export async function bareServer(body: string, frame = '') {
  const folder = mkdtempSync(join(tmpdir(), 'gc-bare-'))
  writeFileSync(join(folder, 'body'), body)
  writeFileSync(join(folder, 'frame'), frame)
  const child = helper(import.meta.path, folder)
  return {
    pid: child.pid,
    url: await child.firstLine(),
    async [Symbol.asyncDispose]() {
      await child[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true })
    },
  }
}

const HEADERS = {
  'x-gc-request-id': '0123456789abcdef',
  vary: 'Origin',
  'x-gc-index': '1234',
  'x-gc-cache-age-s': '0',
  'content-type': 'application/json',
}
const STREAM = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' }

type Follower = ReadableStreamDefaultController<Uint8Array>

function serve(folder: string): string {
  const body = JSON.parse(readFileSync(join(folder, 'body'), 'utf8'))
  const frame = readFileSync(join(folder, 'frame'), 'utf8')
  const encoder = new TextEncoder()
  const followers = new Set<Follower>()
  let news = Promise.withResolvers<void>()
  const answer = () => new Response(JSON.stringify(body), { headers: HEADERS })
  const posted = async (request: Request) => {
    const { message = '' }: { message?: string } = JSON.parse(await request.text())
    const bytes = encoder.encode(frame.replace(/"message":"[^"]*"/, () => `"message":"${message}"`))
    for (const follower of followers) follower.enqueue(bytes)
    news.resolve()
    news = Promise.withResolvers()
    return answer()
  }
  const follow = () => {
    let follower: Follower | undefined
    const start = (controller: Follower) => {
      follower = controller
      followers.add(controller)
      controller.enqueue(encoder.encode(':\n'))
    }
    return new ReadableStream<Uint8Array>({ start, cancel: () => void (follower && followers.delete(follower)) })
  }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      if (request.method === 'POST') return await posted(request)
      if (request.url.endsWith('/stream')) return new Response(follow(), { headers: STREAM })
      if (request.url.includes('wait=')) await news.promise
      return answer()
    },
  })
  return server.url.origin
}

if (import.meta.main) say(serve(process.argv[2] ?? ''))
