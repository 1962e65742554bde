import { lookup } from 'node:dns/promises'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** Every address of a host; fails when it has none. */
export type Resolve = (host: string) => Promise<readonly string[]>

const RESOLVE_MS = 10_000
const CONNECT_MS = 10_000
/** A name with more addresses than this is tried at the first ones only. */
const MAX_TRIED = 4

export const systemResolve: Resolve = async (host) =>
  isIP(host) === 0 ? (await within(RESOLVE_MS, lookup(host, { all: true }))).map(({ address }) => address) : [host]

/** A host as it is reached: by its name in certificates, at addresses that were found for it. */
export interface Place {
  host: string
  port: number
  addresses: readonly string[]
  isTls: boolean
}

/** Connects to the first address that answers; the name is not looked up again. */
export async function dial(place: Place): Promise<Socket> {
  let failure: unknown
  for (const address of place.addresses.slice(0, MAX_TRIED)) {
    try {
      return await dialAddress(place, address)
    } catch (error) {
      failure = error
    }
  }
  throw failure ?? new Error(`${place.host} has no address`)
}

function dialAddress({ host, port, isTls }: Place, address: string): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const options = { host: address, port, allowHalfOpen: true }
  const name = isIP(host) === 0 ? { servername: host } : {}
  const socket = isTls ? connectTls({ ...options, ...name, ALPNProtocols: ['http/1.1'] }) : connect(options)
  const timer = setTimeout(() => socket.destroy(new Error(`${host} does not answer`)), CONNECT_MS)
  socket.once('error', reject)
  socket.once('close', () => reject(new Error(`${host} closed the connection`)))
  socket.once(isTls ? 'secureConnect' : 'connect', () => resolve(socket))
  return promise.finally(() => clearTimeout(timer))
}

function within<Value>(ms: number, work: Promise<Value>): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('no answer in time')), ms)
  return Promise.race([work, promise]).finally(() => clearTimeout(timer))
}
