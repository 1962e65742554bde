import { connect, createServer, type Server } from 'node:net'
import { SessionProxy, type SessionProxyOptions } from '../../../src/host/confine/network/session-proxy.ts'
import type { HostPrompt, ProxyRules } from '../../../src/host/protocol/proxy.ts'

/** A server on loopback that keeps what it is sent, and answers each connection with one text once it has read enough. */
export class Upstream implements Disposable {
  received = ''
  connections = 0
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
  }

  static async open(answer: string, isEnough: (text: string) => boolean = (text) => text.includes('\r\n\r\n')) {
    const server = createServer()
    const upstream = new Upstream(server)
    server.on('connection', (socket) => {
      upstream.connections++
      let text = ''
      socket.on('error', () => socket.destroy())
      socket.on('data', (bytes) => {
        text += bytes.toString('latin1')
        upstream.received += bytes.toString('latin1')
        if (isEnough(text)) socket.end(answer)
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return upstream
  }

  get port(): number {
    const address = this.#server.address()
    return typeof address === 'object' && address ? address.port : 0
  }

  [Symbol.dispose](): void {
    this.#server.close()
  }
}

/** A proxy of a session, and what a program does with it. */
export class ProxyWorld implements Disposable {
  readonly denied: string[] = []
  /** Questions to a person, in order. */
  readonly asked: (HostPrompt | undefined)[] = []
  readonly proxy: SessionProxy

  constructor(rules: Partial<ProxyRules>, options: Pick<SessionProxyOptions, 'resolve' | 'patience'> = {}) {
    const all = { hosts: [], advice: 'allow {host}', keys: [], env: {}, ...rules }
    this.proxy = new SessionProxy({
      ...{ rules: all, ...options },
      onDenial: (host) => this.denied.push(host),
      onAsked: (asked) => this.asked.push(asked),
    })
  }

  get password(): string {
    return new URL(this.proxy.env.HTTP_PROXY ?? '').password
  }

  get authorization(): string {
    return `Proxy-Authorization: Basic ${Buffer.from(`gc:${this.password}`).toString('base64')}`
  }

  /** Sends lines of a request with the password, and what follows them; answers all that comes back. */
  send(lines: readonly string[], body = '', authorization = this.authorization): Promise<string> {
    return this.raw([...lines, ...(authorization ? [authorization] : []), '', body].join('\r\n'))
  }

  raw(text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port: this.proxy.port, allowHalfOpen: true })
      let answer = ''
      socket.on('data', (bytes) => {
        answer += bytes.toString('latin1')
      })
      socket.on('end', () => socket.end())
      socket.on('close', () => resolve(answer))
      socket.on('error', reject)
      socket.write(Buffer.from(text, 'latin1'))
    })
  }

  [Symbol.dispose](): void {
    this.proxy.close()
  }
}
