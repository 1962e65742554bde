import { resolveProgram, toSpawnError } from '../process/spawn.ts'
import type { StartSpec } from '../protocol/session.ts'

/** A program on pipes, the leader of a process session of its own. */
export interface AgentProcess {
  pid: number
  output: ReadableStream<Uint8Array>
  errors: ReadableStream<Uint8Array>
  /** Resolves when the pipe has taken the line. */
  write(line: string): Promise<void>
}

/** Starts a program that speaks over its standard input and output; throws a sentence for people when it cannot be started. */
export function spawnAgent(
  spec: StartSpec,
  exited: (exitCode: number | null, signal: string | null) => void,
): AgentProcess {
  const program = resolveProgram(spec)
  try {
    const child = Bun.spawn([program, ...spec.argv.slice(1)], {
      argv0: spec.argv[0],
      cwd: spec.cwd,
      env: spec.env,
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'pipe',
      detached: true,
      onExit: (_child, exitCode, signal) => exited(exitCode, signal === null ? null : String(signal)),
    })
    return {
      pid: child.pid,
      output: child.stdout,
      errors: child.stderr,
      async write(line) {
        child.stdin.write(line)
        await child.stdin.flush()
      },
    }
  } catch (error) {
    throw toSpawnError(program, error)
  }
}
