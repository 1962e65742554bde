const PROBE_TIMEOUT_MS = 5_000
const MAX_HEALTH_BYTES = 64 * 1024

/** Asks whether a service is ready; undefined when it is, else why not. */
export type Probe = (socket: string, healthPath: string | undefined) => Promise<string | undefined>

/** A service is ready when its socket accepts, and its health path, if it has one, answers 2xx. */
export const probeService: Probe = (socket, healthPath) =>
  healthPath === undefined ? connect(socket) : getHealth(socket, healthPath)

async function connect(socket: string): Promise<string | undefined> {
  try {
    const connection = await Bun.connect({ unix: socket, socket: { data() {} } })
    connection.end()
    return undefined
  } catch {
    return 'it does not accept connections on its socket'
  }
}

async function getHealth(socket: string, healthPath: string): Promise<string | undefined> {
  try {
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS)
    const response = await fetch(`http://localhost${healthPath}`, {
      unix: socket,
      signal,
      redirect: 'manual',
      keepalive: false,
    })
    await drain(response.body)
    return response.ok ? undefined : `${healthPath} answers with status ${response.status}`
  } catch (error) {
    const isLate = error instanceof DOMException && error.name === 'TimeoutError'
    return isLate ? `${healthPath} does not answer` : 'it does not accept connections on its socket'
  }
}

/** Takes a short body whole, so that its sender is not cut off. */
async function drain(body: ReadableStream<Uint8Array> | null): Promise<void> {
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > MAX_HEALTH_BYTES) return
  }
}
