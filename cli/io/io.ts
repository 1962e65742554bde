import { setTimeout as sleep } from 'node:timers/promises'

/** Everything a command knows of the world around it; tests hand in one of their own. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Columns of the terminal that is written to; undefined when it is not one, and then nothing is cut. */
  readonly width: number | undefined
  readonly colour: boolean
  /** Aborts when the person presses ctrl-c. */
  readonly signal: AbortSignal
  out(text: string): void
  /** Writes what is not text of ours, as it is. */
  outBytes(bytes: Uint8Array): void
  err(text: string): void
  /** All of standard input. */
  readInput(): Promise<string>
  /** True when standard input is a person's terminal. */
  readonly isInteractive: boolean
}

/** The process's own terminal, environment and folder. */
export function processIo(): Io {
  const interrupted = new AbortController()
  process.once('SIGINT', () => interrupted.abort())
  exitOnClosedPipe(process.stdout)
  exitOnClosedPipe(process.stderr)
  return {
    env: process.env,
    cwd: process.cwd(),
    width: process.stdout.isTTY ? process.stdout.columns || 80 : undefined,
    colour: usesColour(process.env, process.stdout.isTTY === true),
    signal: interrupted.signal,
    out: (text) => void process.stdout.write(text),
    outBytes: (bytes) => void process.stdout.write(bytes),
    err: (text) => void process.stderr.write(text),
    readInput: () => Bun.stdin.text(),
    isInteractive: process.stdin.isTTY === true,
  }
}

/** Colour is for terminals, and never where `NO_COLOR` is set or the terminal is dumb. */
export const usesColour = (env: Io['env'], terminal: boolean): boolean =>
  terminal && !env.NO_COLOR && env.TERM !== 'dumb'

/** `gc bead list | head` closes the pipe while we write: that is the reader's right, not a failure. */
function exitOnClosedPipe(stream: NodeJS.WriteStream): void {
  stream.on('error', (fault: NodeJS.ErrnoException) => {
    if (fault.code === 'EPIPE') process.exit(0)
    throw fault
  })
}

/** Prints one JSON value and a newline: what every `--json` does. */
export const printJson = (io: Io, value: unknown): void => io.out(`${JSON.stringify(value)}\n`)

export const printLine = (io: Io, text: string): void => io.out(`${text}\n`)

/** Waits, or ends early without complaint when the signal does. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => undefined)
