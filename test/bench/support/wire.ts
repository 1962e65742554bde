import type { Socket } from 'bun'

export interface Reply {
  status: number
  /** Length of the body. */
  bytes: number
  text(): string
}

const END_OF_HEAD = Buffer.from('\r\n\r\n')

/** One connection that is kept and asks one thing at a time; it costs its process little beside what it measures. */
export class Wire {
  #socket: Socket<undefined> | undefined
  #answer: PromiseWithResolvers<Reply> | undefined
  #gone = false
  #chunks: Buffer[] = []
  #got = 0
  #head = 0
  #wanted = Number.POSITIVE_INFINITY

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

  async ask(method: string, path: string, body?: unknown, token?: string): Promise<Reply> {
    if (this.#gone) throw new Error('the server closed the connection')
    const text = body === undefined ? '' : JSON.stringify(body)
    const headers = [
      `${method} ${path} HTTP/1.1`,
      `Host: ${this.host}`,
      ...(token ? [`Authorization: Bearer ${token}`] : []),
      ...(method === 'GET' ? [] : ['X-GC-Request: 1', 'Content-Type: application/json']),
      ...(method === 'GET' ? [] : [`Content-Length: ${Buffer.byteLength(text)}`]),
    ]
    this.#answer = Promise.withResolvers()
    this.#chunks = []
    this.#got = 0
    this.#head = 0
    this.#wanted = Number.POSITIVE_INFINITY
    this.#socket?.write(`${headers.join('\r\n')}\r\n\r\n${text}`)
    return await this.#answer.promise
  }

  /** Asks for what must succeed, and reads it. */
  // biome-ignore lint/suspicious/noExplicitAny: a bench reads bodies of every shape
  async json(method: string, path: string, body?: unknown, token?: string): Promise<any> {
    const reply = await this.ask(method, path, body, token)
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
    if (this.#wanted === Number.POSITIVE_INFINITY) this.#readHead()
    if (this.#got < this.#wanted) return
    const bytes = Buffer.concat(this.#chunks)
    const head = this.#head
    const status = Number(bytes.toString('latin1', 9, 12))
    this.#answer?.resolve({ status, bytes: bytes.length - head, text: () => bytes.toString('utf8', head) })
  }

  #readHead(): void {
    const bytes = this.#chunks.length === 1 ? (this.#chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#chunks)
    const end = bytes.indexOf(END_OF_HEAD)
    if (end < 0) return
    const length = /\r\ncontent-length: (\d+)/i.exec(bytes.toString('latin1', 0, end))?.[1]
    if (length === undefined) this.#answer?.reject(new Error('an answer came without its length'))
    this.#head = end + 4
    this.#wanted = this.#head + Number(length)
  }
}
