import type { Socket } from 'node:net'
import type { Transform } from 'node:stream'
import type { BodyGate } from './body-gate.ts'

/** A connection on which nothing moves is given up. */
const IDLE_MS = 15 * 60_000

interface RelayOptions {
  /** What the client has sent already. */
  first: Uint8Array
  /** Bounds what the client may send; without it, all passes until it ends. */
  gate?: BodyGate
  /** Through which the answer goes. */
  mask?: Transform
  moved(sent: number, received: number): void
}

/** Passes bytes between a client and a host, no faster than either takes them, until both are done. */
export function relay(client: Socket, upstream: Socket, { first, gate, mask, moved }: RelayOptions): void {
  const end = () => {
    client.destroy()
    upstream.destroy()
  }
  for (const socket of [client, upstream]) {
    socket.on('error', end)
    socket.setTimeout(IDLE_MS, end)
  }
  client.on('close', () => upstream.destroy())
  upstream.on('data', (bytes) => moved(0, bytes.length))
  if (mask) upstream.pipe(mask).pipe(client)
  else upstream.pipe(client)
  const entry = gate ?? upstream
  if (gate) {
    gate.on('error', end)
    gate.on('data', (bytes: Buffer) => moved(bytes.length, 0))
    // The host learns from the request where it ends; some would take a closed side for a client that left.
    gate.pipe(upstream, { end: false })
  } else client.on('data', (bytes) => moved(bytes.length, 0))
  if (first.length > 0) entry.write(first)
  if (first.length > 0 && !gate) moved(first.length, 0)
  client.pipe(entry)
}
