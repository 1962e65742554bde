import { connect } from 'node:net'

/** Sends bytes as they are and reads until the server closes the connection: the head and the body of its answer. */
export function sendRaw(
  url: string,
  bytes: string | Uint8Array,
): Promise<{ status: number; head: string; body: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(bytes))
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  socket.on('close', () => resolve(received))
  socket.on('error', reject)
  return promise.then((answer) => {
    const [head = '', body = ''] = answer.split('\r\n\r\n', 2)
    return { status: Number(head.split(' ')[1]), head, body }
  })
}
