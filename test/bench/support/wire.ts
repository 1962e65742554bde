import type { Socket } from 'bun'

export interface Reply {
  status: number
  /** Length of the body. */
  bytes: number
  text(): string
}

const END_OF_HEAD = Buffer.from('\r\n\r\n')
const END_OF_CHUNKS = Buffer.from('\r\n0\r\n\r\n')

/** One connection that is kept and asks one thing at a time; it costs its process little beside what it measures. */
export class Wire {
  #socket: Socket<undefined> | undefined
  #answer: PromiseWithResolvers<Reply> | undefined
  #gone = false
  #chunks: Buffer[] = []
  #got = 0
  #head = 0
  #wanted = 0
  #isChunked = false
  /** The last bytes that came. */
  #end = Buffer.alloc(0)

  private constructor(private readonly host: string) {}

  static async open(url: string): Promise<Wire> {
    const { hostname, port, host } = new URL(url)
    const wire = new Wire(host)
    const gone = () => {
      wire.#gone = true
      wire.#answer?.reject(new Error('the server closed the connection'))
    }
    wire.#socket = await Bun.connect({
      hostname,
      port: Number(port),
      socket: { data: (_, chunk) => wire.#hear(chunk), close: gone, error: gone },
    })
    return wire
  }

  async ask(method: string, path: string, body?: unknown, token?: string, key?: string): Promise<Reply> {
    if (this.#gone) throw new Error('the server closed the connection')
    const text = body === undefined ? '' : JSON.stringify(body)
    const headers = [
      `${method} ${path} HTTP/1.1`,
      `Host: ${this.host}`,
      ...(token ? [`Authorization: Bearer ${token}`] : []),
      ...(key ? [`Idempotency-Key: ${key}`] : []),
      ...(method === 'GET' ? [] : ['X-GC-Request: 1', 'Content-Type: application/json']),
      ...(method === 'GET' ? [] : [`Content-Length: ${Buffer.byteLength(text)}`]),
    ]
    this.#answer = Promise.withResolvers()
    this.#chunks = []
    this.#got = 0
    this.#head = 0
    this.#socket?.write(`${headers.join('\r\n')}\r\n\r\n${text}`)
    return await this.#answer.promise
  }

  /** Sends a request that must succeed, and reads the response. */
  // biome-ignore lint/suspicious/noExplicitAny: a bench reads bodies of every shape
  async json(method: string, path: string, body?: unknown, token?: string, key?: string): Promise<any> {
    const reply = await this.ask(method, path, body, token, key)
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text()}`)
    return JSON.parse(reply.text())
  }

  close(): void {
    this.#answer = undefined
    this.#socket?.end()
  }

  #hear(chunk: Buffer): void {
    this.#chunks.push(Buffer.from(chunk))
    this.#got += chunk.length
    if (this.#head === 0) this.#readHead()
    this.#end = Buffer.concat([this.#end, chunk.subarray(-END_OF_CHUNKS.length)]).subarray(-END_OF_CHUNKS.length)
    if (this.#head === 0 || !this.#isComplete()) return
    const bytes = Buffer.concat(this.#chunks)
    const status = Number(bytes.toString('latin1', 9, 12))
    const body = bytes.subarray(this.#head)
    const text = () => (this.#isChunked ? withoutChunks(body) : body).toString('utf8')
    this.#answer?.resolve({ status, bytes: body.length, text })
  }

  #isComplete(): boolean {
    return this.#isChunked ? this.#end.equals(END_OF_CHUNKS) : this.#got >= this.#wanted
  }

  #readHead(): void {
    const bytes = this.#chunks.length === 1 ? (this.#chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#chunks)
    const end = bytes.indexOf(END_OF_HEAD)
    if (end < 0) return
    const head = bytes.toString('latin1', 0, end)
    this.#head = end + 4
    this.#isChunked = /\r\ntransfer-encoding: chunked/i.test(head)
    this.#wanted = this.#head + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
  }
}

/** The body of an answer that came in chunks. */
function withoutChunks(bytes: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const line = bytes.indexOf('\r\n', at)
    const length = Number.parseInt(bytes.toString('latin1', at, line), 16)
    if (!(length > 0)) return Buffer.concat(parts)
    parts.push(bytes.subarray(line + 2, line + 2 + length))
    at = line + 2 + length + 2
  }
}
