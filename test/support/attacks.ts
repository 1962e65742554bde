import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { until } from './until.ts'

/** Clients that ask for something, each on a connection of its own, and that may never read what they get. */
export class SilentReaders implements Disposable {
  readonly #sockets: Socket[] = []
  #received = 0
  #responses = 0

  constructor(
    private readonly url: string,
    private readonly doesRead: boolean,
  ) {}

  /** Number of bytes that were read. */
  get received(): number {
    return this.#received
  }

  /** Number of clients that have begun to read a response. */
  get responses(): number {
    return this.#responses
  }

  /** Asks for each path on a connection; resolves once everything was sent. */
  async ask(paths: readonly string[], headers = ''): Promise<void> {
    let sent = 0
    for (const path of paths) {
      this.#ask(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`, () => sent++)
      if (this.#sockets.length % 100 === 0) await until(() => sent === this.#sockets.length, 60_000)
    }
    await until(() => sent === this.#sockets.length, 60_000)
  }

  /** Asks for a path and takes the beginning of the response only; resolves with its status. */
  async begin(path: string): Promise<number> {
    const socket = this.#ask(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`, () => {})
    socket.resume()
    const [chunk] = await once(socket, 'data')
    socket.pause()
    return Number(String(chunk).split(' ')[1])
  }

  /** Reads from now on what is left; resolves once every connection has ended. */
  async readOn(): Promise<void> {
    const ended = this.#sockets.map((socket) => (socket.closed ? undefined : once(socket, 'close')))
    for (const socket of this.#sockets) socket.resume()
    await Promise.all(ended)
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  #ask(request: string, onSent: () => void): Socket {
    const { hostname, port } = new URL(this.url)
    const socket = connect(Number(port), hostname)
    this.#sockets.push(socket)
    let hasBegun = false
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      if (!hasBegun) this.#responses++
      hasBegun = true
      this.#received += chunk.length
    })
    if (!this.doesRead) socket.pause()
    socket.write(request, onSent)
    return socket
  }
}

/** Sends a mutation to a city. */
export async function post(
  url: string,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<unknown> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'x-gc-request': '1', 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return response.json()
}

/** Creates so many beads of so many bytes. */
export async function createBeads(url: string, city: string, count: number, bytes: number): Promise<void> {
  const perRequest = Math.min(100, Math.max(1, Math.floor(900_000 / bytes)))
  for (let n = 0; n < count; n += perRequest) {
    const beads = Array.from({ length: Math.min(perRequest, count - n) }, (_, k) => ({
      title: `bead ${n + k}`,
      description: 'x'.repeat(bytes),
    }))
    await post(url, `/v0/city/${city}/beads/bulk`, { beads })
  }
}

/** The number of the last event of a city. */
export async function headOf(url: string, city: string): Promise<number> {
  const response = await fetch(`${url}/v0/city/${city}/events?limit=1`)
  return Number(response.headers.get('x-gc-index'))
}

/** Paths of lists and pages that are full of such posts. */
const PAGES = ['/api/v1/posts?limit=100', '/api/v1/posts?limit=50&sort=new', '/posts?limit=100', '/m/general']

/** Makes posts of 38 KB; returns the header of a reader. */
export async function createPosts(url: string, count: number): Promise<string> {
  const api = '/api/v1'
  const registered = await post(url, `${api}/agents/register`, { name: 'ada', description: 'I write much' })
  const { api_key: key } = Object(Object(registered).agent)
  const headers = { authorization: `Bearer ${key}` }
  for (let n = 0; n < count; n++) {
    await post(
      url,
      `${api}/posts`,
      { submolt: 'general', title: `${n}`, content: `${'word '.repeat(7_600)}${n}` },
      headers,
    )
  }
  return `Authorization: Bearer ${key}\r\n`
}

/** The limits of a network on which one agent may post that much. */
export const GENEROUS = '[limits]\nrepeats = false\npost = "100000/1m"\ngeneral = "100000/1m"\n'

/** Requests that take much memory of a server without limits on its responses. */
export const attacks = {
  /** 2,000 readers that wait for a list of 2 MB are woken by one write. */
  async waiting(readers: SilentReaders, url: string, city: string): Promise<void> {
    const path = `/v0/city/${city}/beads?limit=100&index=${await headOf(url, city)}&wait=60s`
    await readers.ask(Array(2_000).fill(path))
    await Bun.sleep(1_000)
    await post(url, `/v0/city/${city}/beads`, { title: 'news' })
  },
  /** 60 lists of 1,000 beads. */
  lists: (readers: SilentReaders, city: string) => readers.ask(Array(60).fill(`/v0/city/${city}/beads?limit=1000`)),
  /** 200 pages of the network. */
  pages: (readers: SilentReaders, header: string) =>
    readers.ask(
      Array.from({ length: 200 }, (_, n) => PAGES[n % PAGES.length] ?? ''),
      header,
    ),
}
