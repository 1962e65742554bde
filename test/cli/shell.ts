import type { Io } from '../../cli/io/io.ts'
import { runBd, runGc } from '../../cli/run-command.ts'

export interface CommandResult {
  status: number
  out: string
  err: string
}

export interface Shell {
  env?: Record<string, string>
  cwd?: string
  width?: number
  colour?: boolean
  stdin?: string
  interactive?: boolean
  signal?: AbortSignal
  /** Hears all that was written so far, whenever more is. */
  onOutput?: (out: string) => void
  /** Hears all errors so far, whenever there are more. */
  onError?: (err: string) => void
}

/** An `Io` that keeps what was written. */
export function recorder(shell: Shell = {}): { io: Io; output: { out: string; err: string } } {
  const output = { out: '', err: '' }
  const lines = shell.stdin?.split('\n') ?? []
  const io: Io = {
    // A test whose command writes to a home gives it one.
    env: { HOME: '/dev/null', ...shell.env },
    cwd: shell.cwd ?? '/',
    width: shell.width,
    colour: shell.colour ?? false,
    signal: shell.signal ?? AbortSignal.timeout(15_000),
    isInteractive: shell.interactive ?? false,
    out: (text) => {
      output.out += text
      shell.onOutput?.(output.out)
    },
    outBytes: (bytes) => {
      output.out += new TextDecoder().decode(bytes)
      shell.onOutput?.(output.out)
    },
    err: (text) => {
      output.err += text
      shell.onError?.(output.err)
    },
    readInput: async () => shell.stdin ?? '',
    readLine: async () => lines.shift(),
  }
  return { io, output }
}

/** Runs one command line as a shell would, words given apart. */
export async function gc(args: readonly string[], shell: Shell = {}): Promise<CommandResult> {
  const { io, output } = recorder(shell)
  const status = await runGc(args, io)
  return { status, ...output }
}

export async function bd(args: readonly string[], shell: Shell = {}): Promise<CommandResult> {
  const { io, output } = recorder(shell)
  const status = await runBd(args, io)
  return { status, ...output }
}
