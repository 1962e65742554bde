/** A service for tests: it speaks HTTP on the socket that it is given, and its paths say what it does. */
const { GC_SERVICE_SOCKET: socket = '', GC_URL: url = '', GC_TOKEN: token = '', GC_CITY_NAME: city = '' } = process.env

const server = Bun.serve({
  unix: socket,
  maxRequestBodySize: Number.MAX_SAFE_INTEGER,
  fetch: (request, at) => {
    if (request.headers.get('upgrade') === 'websocket') {
      const protocol = request.headers.get('sec-websocket-protocol')?.split(',')[0]
      return at.upgrade(request, protocol ? { headers: { 'sec-websocket-protocol': protocol } } : {})
        ? undefined
        : new Response('no upgrade', { status: 400 })
    }
    return respond(request)
  },
  websocket: {
    maxPayloadLength: 32 * 1024 * 1024,
    message(client, data) {
      if (data === 'bye') client.close(4001, 'as asked')
      else if (data === 'long') client.send('x'.repeat(15_000_000))
      else client.send(data)
    },
  },
})
process.stdout.write(`listening, by ${process.pid}\n`)

async function respond(request: Request): Promise<Response> {
  const { pathname, search, searchParams } = new URL(request.url)
  switch (pathname) {
    case '/healthz':
      return new Response('fine')
    case '/headers':
      return Response.json(Object.fromEntries(request.headers))
    case '/environment':
      return Response.json(process.env)
    case '/page':
      return new Response('<p>hello', { headers: PAGE })
    case '/count':
      return new Response(String(await count(request.body)))
    case '/zeros':
      return new Response(zeros(Number(searchParams.get('bytes'))))
    case '/moved':
      return new Response(null, { status: 302, headers: { location: '/elsewhere' } })
    case '/hang':
      return new Promise(() => {})
    case '/talk/publish':
      return confirm(await request.text())
    case '/stop':
      return stop(Number(searchParams.get('status')))
    case '/act':
      return act()
    default:
      return new Response(`${request.method} ${pathname}${search}`)
  }
}

/** Page of a hostile service. */
const PAGE = {
  'content-type': 'text/html',
  'set-cookie': 'session=stolen',
  'access-control-allow-origin': '*',
  'access-control-allow-credentials': 'true',
  'clear-site-data': '"*"',
  'content-security-policy': "default-src 'self'",
  'x-own': 'kept',
}

/** As an adapter confirms a message: its id is the text. */
function confirm(body: string): Response {
  const { text }: { text: string } = JSON.parse(body)
  return Response.json({ delivered: true, message_id: text, conversation: {} })
}

async function count(body: ReadableStream<Uint8Array> | null): Promise<number> {
  let bytes = 0
  if (body) for await (const chunk of body) bytes += chunk.length
  return bytes
}

function zeros(bytes: number): ReadableStream<Uint8Array> {
  const chunk = new Uint8Array(256 * 1024)
  let left = bytes
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(chunk.subarray(0, Math.min(left, chunk.length)))
      left -= chunk.length
      if (left <= 0) controller.close()
    },
  })
}

function stop(status: number): Response {
  process.stderr.write(`stopping with ${status}\n`)
  setTimeout(() => process.exit(status), 20)
  return new Response('stopping')
}

/** Makes a bead with the credential of this process. */
async function act(): Promise<Response> {
  const headers = { 'content-type': 'application/json', 'x-gc-request': '1', authorization: `Bearer ${token}` }
  const body = JSON.stringify({ title: 'made by a service' })
  const { status } = await fetch(`${url}/v0/city/${city}/beads`, { method: 'POST', headers, body })
  return Response.json({ status, token: server.pendingRequests > 0 ? token.slice(0, 4) : '' })
}

export {}
