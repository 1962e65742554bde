import { writeSync } from 'node:fs'
import type { Interface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { showHidden } from '../../src/client/text.ts'
import { INTERRUPTED } from './exit.ts'
import { HUNG_UP, isTerminal } from './hangup.ts'

/** The environment, input and output of a command; tests provide their own. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Columns of the terminal; undefined when output is not a terminal, and then nothing is truncated. */
  readonly width: number | undefined
  readonly colour: boolean
  /** Aborts on ctrl-c. */
  readonly signal: AbortSignal
  out(text: string): void
  /** Writes bytes unchanged. */
  outBytes(bytes: Uint8Array): void
  err(text: string): void
  /** All of standard input. */
  readInput(): Promise<string>
  /** The next line of standard input; undefined at its end, and when ctrl-c comes first. */
  readLine(): Promise<string | undefined>
  /** Format of JSON; unchanged when undefined. */
  formatJson?(value: unknown): string
  /** True if standard input is a terminal. */
  readonly isInteractive: boolean
}

/** The process's own terminal, environment and folder. What loads a module of the runtime waits until it is read. */
export function processIo(): Io {
  const interrupted = new AbortController()
  process.once('SIGINT', () => interrupted.abort())
  const [out, err] = [new Output(1), new Output(2)]
  let readNext: Io['readLine'] | undefined
  return {
    env: process.env,
    cwd: process.cwd(),
    get width() {
      return isTerminal(1) ? process.stdout.columns || 80 : undefined
    },
    colour: usesColour(process.env, isTerminal(1)),
    signal: interrupted.signal,
    out: (text) => out.write(text),
    outBytes: (bytes) => out.write(bytes),
    err: (text) => err.write(text),
    readInput: () => readInput(interrupted.signal),
    readLine() {
      readNext ??= lineReader(interrupted.signal)
      return readNext()
    },
    isInteractive: isTerminal(0),
  }
}

/** An `Io` that formats JSON in its own way. A copy by `...` would read what waits to be read. */
export const formattingJson = (io: Io, formatJson: NonNullable<Io['formatJson']>): Io =>
  Object.create(null, { ...Object.getOwnPropertyDescriptors(io), formatJson: { value: formatJson, enumerable: true } })

/** Maximum bytes that a process writes without a stream; an empty pipe takes them without blocking. */
const DIRECT_BYTES = 4096

/** Standard output or error. The stream is opened for what may have to wait: the runtime loads its modules for that. */
class Output {
  #direct = DIRECT_BYTES
  #stream: NodeJS.WriteStream | undefined

  constructor(private readonly descriptor: 1 | 2) {}

  write(text: string | Uint8Array): void {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text
    this.#direct -= bytes.length
    const rest = this.#direct < 0 ? bytes : this.#writeDirectly(bytes)
    if (rest.length > 0) this.#open().write(rest)
  }

  #writeDirectly(bytes: Uint8Array): Uint8Array {
    try {
      return bytes.subarray(writeSync(this.descriptor, bytes))
    } catch {
      // The stream waits, or meets the same error and reports it.
      return bytes
    }
  }

  #open(): NodeJS.WriteStream {
    this.#direct = 0
    if (this.#stream) return this.#stream
    this.#stream = this.descriptor === 1 ? process.stdout : process.stderr
    exitOnUnwritable(this.#stream)
    return this.#stream
  }
}

/**
 * All of standard input. Ctrl-c ends the process: a read from a terminal cannot be undone, and nothing was done yet.
 */
async function readInput(signal: AbortSignal): Promise<string> {
  const end = () => process.exit(INTERRUPTED)
  signal.addEventListener('abort', end, { once: true })
  const text = await Bun.stdin.text()
  signal.removeEventListener('abort', end)
  return text
}

/** Reads standard input line by line; lines that arrive early are kept for the next call. */
function lineReader(signal: AbortSignal): Io['readLine'] {
  const { stdin } = process
  const lines: string[] = []
  let reader: Interface | undefined
  let isOver = false
  let wake = () => {}
  const open = async () => {
    const { createInterface } = await import('node:readline')
    const opened = createInterface({ input: stdin })
    const add = (line: string) => {
      lines.push(line)
      wake()
    }
    const end = () => {
      isOver = true
      wake()
    }
    opened.on('line', add).once('close', end)
    signal.addEventListener('abort', () => opened.close(), { once: true })
    return opened
  }
  return async () => {
    if (signal.aborted) return undefined
    if (stdin.isTTY) stdin.ref()
    reader ??= await open()
    if (!isOver) reader.resume()
    while (lines.length === 0 && !isOver) {
      const { promise, resolve } = Promise.withResolvers<void>()
      wake = resolve
      await promise
    }
    if (!isOver) reader.pause()
    // A terminal that nobody reads any more must not keep the command from ending.
    if (stdin.isTTY) stdin.unref()
    return signal.aborted ? undefined : lines.shift()
  }
}

/** Asks a person; only `y` or `yes` is a yes. */
export async function confirm(io: Io, question: string): Promise<boolean> {
  io.err(`${question} [y/N] `)
  return /^y(es)?$/i.test(((await io.readLine()) ?? '').trim())
}

/** Colour is used on terminals, but not with `NO_COLOR` or on a dumb one. */
export const usesColour = (env: Io['env'], terminal: boolean): boolean =>
  terminal && !env.NO_COLOR && env.TERM !== 'dumb'

/** `gc bead list | head` closes the pipe while we write: that is not an error. A full disk is one. */
function exitOnUnwritable(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    if (error.code === 'EIO' && stream.isTTY) process.exit(HUNG_UP)
    // The supervisor survives whatever nobody else handles.
    if (process.listenerCount('uncaughtException') > 0) throw error
    const why = error.code === 'ENOSPC' || error.code === 'EDQUOT' ? ': the disk is full; make room' : ''
    if (stream !== process.stderr) writeSync(2, `gc: not all of the output could be written${why}\n`)
    process.exit(1)
  })
}

/** Prints a JSON value on one line, in which nothing is hidden, or as `--json=<fields>` and `--format` want it. */
export const printJson = (io: Io, value: unknown): void =>
  io.out(io.formatJson?.(value) ?? `${showHidden(JSON.stringify(value))}\n`)

/** Prints an error as JSON, on standard error, so that no one takes it for the answer. */
export const printJsonError = (io: Io, error: object): void =>
  io.err(`${showHidden(JSON.stringify({ schema_version: '1', ok: false, error }))}\n`)

export const printLine = (io: Io, text: string): void => io.out(`${text}\n`)

/** Waits, or returns early when the signal aborts. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => undefined)
