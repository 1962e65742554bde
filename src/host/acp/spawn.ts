import { resolveProgram, type SpawnParts, toSpawnError } from '../process/spawn.ts'
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
  { confiner, cgroup, yields }: SpawnParts,
): AgentProcess {
  const program = resolveProgram(spec)
  const { command, argv0, env, extra, started } = confiner.prepare(program, { ...spec, yields })
  try {
    const child = Bun.spawn(command, {
      ...(argv0 !== undefined && { argv0 }),
      ...(cgroup && { cgroup: cgroup.path }),
      cwd: spec.cwd,
      env,
      stdio: ['pipe', 'pipe', 'pipe', ...extra],
      detached: true,
      onExit: (_child, exitCode, signal) => exited(exitCode, signal === null ? null : String(signal)),
    })
    started(child)
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
