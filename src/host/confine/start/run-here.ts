import { mkdtempSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppError } from '../../../core/errors.ts'
import { resolveProgram } from '../../process/spawn.ts'
import { Broker } from '../broker/broker.ts'
import type { Report } from '../broker/loop.ts'
import { confinedArgv } from '../confined-command.ts'
import { HANDOVER } from '../enter.ts'
import { type ConfinementRequest, makePolicy } from './default-policy.ts'
import { makePrivateFolders } from './private-folders.ts'

export interface ConfinedRun extends Pick<ConfinementRequest, 'read' | 'write' | 'network' | 'ports'> {
  /** How this program is started again. */
  gc: readonly string[]
  argv: string[]
  cwd: string
  env: Readonly<Record<string, string | undefined>>
  onDenial(denial: Report): void
}

/** Runs a command confined in a person's own terminal, with a private folder that goes with it; answers its exit code. */
export async function runHere(run: ConfinedRun): Promise<number> {
  if (process.platform !== 'linux') {
    throw new AppError('not-implemented', `gc confines programs on Linux only so far, not on ${process.platform}`)
  }
  const root = mkdtempSync(join(tmpdir(), 'gc-confined-'))
  const broker = new Broker(run.onDenial)
  try {
    const { folders, env } = makePrivateFolders(root)
    const program = resolveProgram(run)
    const write = [run.cwd, folders.temporary, folders.state, ...run.write]
    const policy = makePolicy({ ...run, home: homedir(), program, write })
    const child = Bun.spawn(confinedArgv(run.gc, policy, program, run.argv), {
      cwd: run.cwd,
      env: { ...run.env, ...env },
      stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    })
    const socket = child.stdio[HANDOVER]
    if (typeof socket === 'number') broker.admit({ key: program, leader: child.pid, socket, policy })
    return await child.exited
  } finally {
    broker.close()
    rmSync(root, { recursive: true, force: true })
  }
}
