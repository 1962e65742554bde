import type { Io } from './io.ts'

/** A secret: all of standard input, or a line of a terminal that does not show it. Empty when none was given. */
export async function readSecret(io: Io, question: string): Promise<string> {
  if (!io.isInteractive) return (await io.readInput()).trim()
  io.err(question)
  const line = await (process.stdin.isTTY ? readHidden(io.signal) : io.readLine())
  io.err('\n')
  return (line ?? '').trim()
}

/** Reads a line with the echo of the terminal off; undefined when ctrl-c or ctrl-d comes first. */
function readHidden(signal: AbortSignal): Promise<string | undefined> {
  const { stdin } = process
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  let line = ''
  const onData = (bytes: Buffer) => {
    for (const key of bytes.toString('utf8')) {
      if (key === '\r' || key === '\n') resolve(line)
      else if (key === '\x03' || key === '\x04') resolve(undefined)
      else if (key === '\x7f' || key === '\b') line = line.slice(0, -1)
      else line += key
    }
  }
  const onAbort = () => resolve(undefined)
  stdin.setRawMode(true)
  stdin.on('data', onData)
  stdin.resume()
  signal.addEventListener('abort', onAbort, { once: true })
  return promise.finally(() => {
    signal.removeEventListener('abort', onAbort)
    stdin.off('data', onData)
    stdin.setRawMode(false)
    stdin.pause()
  })
}
