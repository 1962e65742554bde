import { createBd } from '../../cli/bd/program.ts'
import type { Io } from '../../cli/io/io.ts'
import { run } from '../../cli/io/run.ts'
import { createProgram } from '../../cli/program.ts'

export interface Said {
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
  signal?: AbortSignal
  /** Hears all that was written so far, whenever more is. */
  heard?: (out: string) => void
}

/** An `Io` that keeps what was written. */
export function recorder(shell: Shell = {}): { io: Io; said: { out: string; err: string } } {
  const said = { out: '', err: '' }
  const io: Io = {
    env: shell.env ?? {},
    cwd: shell.cwd ?? '/',
    width: shell.width,
    colour: shell.colour ?? false,
    signal: shell.signal ?? AbortSignal.timeout(15_000),
    isInteractive: false,
    out: (text) => {
      said.out += text
      shell.heard?.(said.out)
    },
    outBytes: (bytes) => {
      said.out += new TextDecoder().decode(bytes)
      shell.heard?.(said.out)
    },
    err: (text) => {
      said.err += text
    },
    readInput: async () => shell.stdin ?? '',
  }
  return { io, said }
}

/** Runs one command line as a shell would, words given apart. */
export async function gc(args: readonly string[], shell: Shell = {}): Promise<Said> {
  const { io, said } = recorder(shell)
  const status = await run(createProgram(io), args, io)
  return { status, ...said }
}

export async function bd(args: readonly string[], shell: Shell = {}): Promise<Said> {
  const { io, said } = recorder(shell)
  const status = await run(createBd(io), args, io)
  return { status, ...said }
}
