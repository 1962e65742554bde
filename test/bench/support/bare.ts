import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { say } from './figures.ts'
import { helper } from './helper.ts'

/** A bare `Bun.serve` in a process of its own that answers everything with this JSON and the headers we send. */
export async function bareServer(body: string) {
  const folder = mkdtempSync(join(tmpdir(), 'gc-bare-'))
  writeFileSync(join(folder, 'body'), body)
  const child = helper(import.meta.path, join(folder, 'body'))
  return {
    pid: child.pid,
    url: await child.said(),
    async [Symbol.asyncDispose]() {
      await child[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true })
    },
  }
}

if (import.meta.main) {
  const body = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'))
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () =>
      new Response(JSON.stringify(body), {
        headers: {
          'x-gc-request-id': '0123456789abcdef',
          vary: 'Origin',
          'x-gc-index': '1234',
          'x-gc-cache-age-s': '0',
          'content-type': 'application/json',
        },
      }),
  })
  say(server.url.origin)
}
