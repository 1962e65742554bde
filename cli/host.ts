import { writeSync } from 'node:fs'
import { program } from './context/version.ts'

/** Runs the session host until it has no sessions. It stays for long, so it loads none of the commands. */
export async function runHost(env: Readonly<Record<string, string | undefined>>): Promise<number> {
  if (process.stdout.isTTY || process.stdin.isTTY) {
    writeSync(2, 'gc: the supervisor starts its session host itself; `gc supervisor start` starts the supervisor\n')
    return 2
  }
  const { runSessionHost } = await import('../src/supervisor/session-host.ts')
  return runSessionHost(program, env, say)
}

/**
 * Writes to the starter of this host, which may be gone: the host stays for its sessions and exits when it has none.
 */
function say(line: string): void {
  try {
    writeSync(1, `${line}\n`)
  } catch {}
}
