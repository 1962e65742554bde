import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Confiner } from '../../host/confine/index.ts'
import type { Confinement } from '../../host/protocol/index.ts'
import type { ConfinementRules } from './confinement.ts'

/** Denial of a command, as reported the first time. */
export interface ShellDenial {
  readonly call: string
  readonly target: string
}

interface ShellLine {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Its sandbox; absent without one. */
  readonly confine?: ConfinementRules | undefined
  onDenial(denial: ShellDenial): void
}

const SHELL = '/bin/sh'

/**
 * Starts lines of shell, confined as a session is where they should be: with its folders and hosts, but with none of
 * its keys, and with a private folder that goes with the line, so that no session left anything there.
 */
export class ConfinedShell {
  readonly #listeners = new Map<string, ShellLine['onDenial']>()
  readonly #confiner: Confiner

  /** `gc` starts this program again. */
  constructor(gc: readonly string[]) {
    this.#confiner = new Confiner(gc, ({ key, call, target, isNew }) => {
      if (isNew) this.#listeners.get(key)?.({ call, target })
    })
  }

  /** Starts a line as the leader of a process group; `release` must be called once it is over. */
  start(line: string, { cwd, env, confine, onDenial }: ShellLine) {
    const argv = [SHELL, '-c', line]
    const root = confine && mkdtempSync(join(tmpdir(), 'gc-confined-'))
    const key = randomUUID()
    this.#listeners.set(key, onDenial)
    const release = () => {
      this.#confiner.release(key)
      this.#listeners.delete(key)
      if (root) rmSync(root, { recursive: true, force: true })
    }
    try {
      const wanted = { key, argv, env, ...(confine && root && { confine: withoutKeys(confine, root) }) }
      const prepared = this.#confiner.prepare(SHELL, wanted)
      const child = Bun.spawn(prepared.command, {
        ...{ cwd, env: prepared.env, detached: true },
        stdio: ['ignore', 'pipe', 'pipe', ...prepared.extra],
      })
      prepared.started(child)
      return { child, release }
    } catch (error) {
      release()
      throw error
    }
  }
}

/** No one is there to answer for a command what its session would have a person asked. */
function withoutKeys({ begin: _, proxy, ...confine }: ConfinementRules, root: string): Confinement {
  if (!proxy) return { ...confine, private: root }
  const { hosts, advice, otherwise = '', outer } = proxy
  return { ...confine, private: root, proxy: { hosts, advice, otherwise, ...(outer && { outer }), keys: [], env: {} } }
}
