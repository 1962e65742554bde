import { statSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import type { Clock } from '../../../core/clock.ts'
import type { Deadlines } from '../../../core/deadlines.ts'
import { AppError, errorMessage } from '../../../core/errors.ts'
import type { Redactor } from '../../../core/text/index.ts'
import type { Cgroup, Resource } from '../../process/index.ts'
import type { StartSpec } from '../../protocol/index.ts'
import type { Confiner } from './confiner.ts'

/** Parts that a host gives to every session. */
export interface SessionParts {
  clock: Clock
  deadlines: Deadlines
  redactor: Redactor
  /** Variables by which its processes are recognized. */
  marks: string[]
  /** Cgroup in which its processes start. */
  cgroup: Cgroup | undefined
  /** The resources that other programs get first when they are short. */
  yields: readonly Resource[]
  confiner: Confiner
}

/** Origin of a session. */
export type SessionOrigin = Pick<SessionParts, 'marks' | 'cgroup' | 'yields'>

/** A program to run, with the folder and the whole environment it runs in. */
export interface ProgramCommand {
  argv: string[]
  cwd: string
  env: Record<string, string>
}

/** Events of a terminal about its program. */
export interface TerminalEvents {
  output(bytes: Uint8Array): void
  /** All that was typed has been read. */
  typed(): void
  /** No one holds the terminal any more: all output has been read. */
  closed(): void
  /** The program itself is over. */
  exited(exitCode: number | null, signal: string | null): void
}

/** Context of a program's start. */
export type SpawnParts = Pick<SessionParts, 'confiner' | 'cgroup' | 'yields'>

export interface Spawned {
  pid: number
  terminal: Bun.Terminal
}

const MAX_SIZE = 2000

/** Starts a program as the leader of a terminal of its own; throws a sentence for people when it cannot be started. */
export function spawnTerminal(spec: StartSpec, parts: SpawnParts, events: TerminalEvents): Spawned {
  // One sentence for one fact: terminals of this kind do not exist there.
  if (process.platform === 'win32') {
    throw new AppError('not-implemented', 'terminal sessions are not supported on Windows yet; run gc inside WSL')
  }
  const program = resolveProgram(spec)
  const { confiner, cgroup, yields } = parts
  const { command, argv0, env, extra, started } = confiner.prepare(program, { ...spec, yields })
  try {
    const child = Bun.spawn(command, {
      ...(argv0 !== undefined && { argv0 }),
      ...(cgroup && { cgroup: cgroup.path }),
      cwd: spec.cwd,
      env,
      stdio: ['inherit', 'inherit', 'inherit', ...extra],
      terminal: {
        cols: spec.cols,
        rows: spec.rows,
        data: (_terminal, bytes) => events.output(bytes),
        drain: () => events.typed(),
        exit: () => events.closed(),
      },
      onExit: (_child, exitCode, signal) => events.exited(exitCode, signal === null ? null : String(signal)),
    })
    started(child)
    if (child.terminal) return { pid: child.pid, terminal: child.terminal }
  } catch (error) {
    throw toSpawnError(program, error)
  }
  throw new AppError('service-unavailable', 'the system gave no terminal')
}

/** True if a terminal can have this size. */
export function checkSize(cols: unknown, rows: unknown): void {
  const fits = (size: unknown) => typeof size === 'number' && Number.isInteger(size) && size >= 1 && size <= MAX_SIZE
  if (fits(cols) && fits(rows)) return
  throw new AppError('validation-failed', `a terminal has 1 to ${MAX_SIZE} columns and rows, not ${cols} by ${rows}`)
}

/** The file that the first word of the command names: looked for on the PATH that the program itself is given. */
export function resolveProgram({
  argv,
  cwd,
  env,
}: Pick<ProgramCommand, 'argv' | 'cwd'> & { env: { PATH?: string } }): string {
  const [name] = argv
  if (!name) throw new AppError('validation-failed', 'there is no command to start')
  if (!isFolder(cwd)) throw new AppError('validation-failed', `the folder ${cwd} does not exist`)
  if (!name.includes('/')) {
    const executable = Bun.which(name, { PATH: env.PATH ?? '', cwd })
    if (executable) return resolve(cwd, executable)
    throw new AppError('validation-failed', `there is no program ${name} on the PATH; install it or name its path`)
  }
  const path = isAbsolute(name) ? name : resolve(cwd, name)
  if (Bun.which(path)) return path
  throw new AppError('validation-failed', `${path} is not a program that can be run`)
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

/** Too many processes or open files is a problem of this machine; the rest is the command's. */
export function toSpawnError(program: string, error: unknown): AppError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const ours = ['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE', 'ENOSPC'].includes(code)
  return new AppError(
    ours ? 'service-unavailable' : 'validation-failed',
    `${program} could not be started: ${errorMessage(error)}`,
  )
}
