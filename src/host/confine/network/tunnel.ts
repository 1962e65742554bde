import type { Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { dial, type Place, type Resolve } from './dial.ts'
import type { OuterProxy } from './outer-proxy.ts'

const ANSWER_MS = 30_000
const MAX_ANSWER_BYTES = 16 << 10
const END = '\r\n\r\n'

/** A host that is reached directly, or through a proxy of the network. */
export interface Reached extends Place {
  outer: OuterProxy | undefined
  /** True if a request of plain HTTP is sent there, which a proxy takes unchanged. */
  isPlain: boolean
}

/** Connects to a host; through a proxy, plain HTTP is spoken to that. */
export async function reach(place: Reached, resolve: Resolve): Promise<Socket> {
  const { outer, isPlain, isTls, host } = place
  if (!outer) return dial(place)
  const socket = await dialProxy(outer, resolve)
  if (isPlain) return socket
  await tunnel(socket, place, outer)
  return isTls ? secured(socket, host) : socket
}

/** Opening of a plain HTTP request through a proxy. */
export const plainTarget = (outer: OuterProxy | undefined, authority: string, path: string) => ({
  target: outer ? `http://${authority}${path}` : path,
  shown: outer?.authorization ? [['Proxy-Authorization', outer.authorization] as const] : [],
})

const dialProxy = async ({ host, port, isTls }: OuterProxy, resolve: Resolve): Promise<Socket> =>
  dial({ host, port, isTls, addresses: await resolve(host) }).catch((error) => {
    throw new Error(`the proxy ${host}:${port} that the environment of gc names does not answer`, { cause: error })
  })

/** Has a proxy of the network connect to a host; the name is its to look up. */
async function tunnel(socket: Socket, to: { host: string; port: number }, proxy: OuterProxy): Promise<void> {
  const authority = `${to.host.includes(':') ? `[${to.host}]` : to.host}:${to.port}`
  const shown = proxy.authorization ? [`Proxy-Authorization: ${proxy.authorization}`] : []
  socket.write([`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`, ...shown].join('\r\n') + END)
  const { head, rest } = await readHead(socket)
  const [, status, reason = ''] = /^HTTP\/1\.[01] (\d{3}) ?([ -~]{0,60})/.exec(head) ?? []
  if (status?.startsWith('2') !== true) {
    socket.destroy()
    const why = status === undefined ? 'it does not speak HTTP' : `${status} ${reason}`.trim()
    throw new Error(
      `the proxy ${proxy.host}:${proxy.port} that the environment of gc names does not reach ${authority}: ${why}`,
    )
  }
  if (rest.length > 0) socket.unshift(rest)
}

/** Speaks TLS over a connection that is there already. */
function secured(socket: Socket, servername: string): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const secure = connectTls({ socket, servername, ALPNProtocols: ['http/1.1'] })
  const timer = setTimeout(() => secure.destroy(new Error(`${servername} does not answer`)), ANSWER_MS)
  secure.once('error', reject)
  secure.once('close', () => reject(new Error(`${servername} closed the connection`)))
  secure.once('secureConnect', () => resolve(secure))
  return promise.finally(() => clearTimeout(timer))
}

function readHead(socket: Socket): Promise<{ head: string; rest: Buffer }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ head: string; rest: Buffer }>()
  let bytes = Buffer.alloc(0)
  const fail = () => socket.destroy(new Error('the proxy of the network does not answer'))
  const timer = setTimeout(fail, ANSWER_MS)
  const onData = (more: Buffer) => {
    bytes = Buffer.concat([bytes, more])
    const end = bytes.indexOf(END)
    if (end < 0 && bytes.length <= MAX_ANSWER_BYTES) return
    socket.pause()
    resolve({ head: bytes.toString('latin1', 0, Math.max(end, 0)), rest: bytes.subarray(end + END.length) })
  }
  const onEnd = () => reject(new Error('the proxy of the network closed the connection'))
  socket.on('data', onData).once('error', reject).once('close', onEnd)
  return promise.finally(() => {
    clearTimeout(timer)
    socket.off('data', onData).off('error', reject).off('close', onEnd)
  })
}
