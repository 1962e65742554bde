import { mkdtempSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppError } from '../../../core/errors.ts'
import { parseHostRule } from '../../../core/host-rules.ts'
import type { ProxyRules } from '../../protocol/index.ts'
import type { Report } from '../broker/loop.ts'
import { outerProxies } from '../network/outer-proxy.ts'
import { requiredPermission } from '../required-permission.ts'
import { Confiner } from './confiner.ts'
import { REGISTRIES } from './default-hosts.ts'
import type { ConfinementRequest } from './default-policy.ts'
import { resolveProgram } from './spawn.ts'

export interface ConfinedRun extends Pick<ConfinementRequest, 'read' | 'write' | 'withheld' | 'ports'> {
  /** Network access besides its own ports: none (`session`), some hosts by a proxy, or all (`open`). */
  network: 'session' | 'hosts' | 'open'
  /** Hosts that the proxy connects to besides those of package registries. */
  hosts?: readonly string[] | undefined
  /** Ports on which it never listens. */
  reserved?: readonly number[]
  /** Command that restarts this program. */
  gc: readonly string[]
  argv: string[]
  cwd: string
  env: Readonly<Record<string, string | undefined>>
  onDenial(denial: Report): void
}

/** Runs a command confined in a person's own terminal, with a private folder that goes with it; answers its exit code. */
export async function runHere(run: ConfinedRun): Promise<number> {
  if (process.platform !== 'linux' && process.platform !== 'darwin') {
    throw new AppError('not-implemented', `gc confines programs on Linux and macOS only, not on ${process.platform}`)
  }
  const { gc, argv, cwd, read = [], write, withheld = [], network, hosts = [], ports = [], reserved = [] } = run
  const root = mkdtempSync(join(tmpdir(), 'gc-confined-'))
  const confiner = new Confiner(gc, run.onDenial)
  try {
    const program = resolveProgram(run)
    const confine = {
      ...{ home: homedir(), private: root, network: network === 'open' ? ('open' as const) : ('session' as const) },
      ...{ read: [...read], write: [...write], withheld: [...withheld] },
      ...{ ports: [...ports], reserved: [...reserved] },
      ...(network === 'hosts' && { proxy: proxyTo([...REGISTRIES, ...hosts], run.env) }),
    }
    const wanted = { key: program, argv, env: run.env, confine }
    const { command, env, extra, started } = confiner.prepare(program, wanted)
    const child = Bun.spawn(command, { cwd, env, stdio: ['inherit', 'inherit', 'inherit', ...extra] })
    started(child)
    return await child.exited
  } finally {
    confiner.close()
    rmSync(root, { recursive: true, force: true })
  }
}

/** The options of the command that would have allowed a call; undefined where none would. */
export function allowingOptions(denial: Report): string | undefined {
  const needed = requiredPermission({ ...denial, hosts: denial.hosts && [...denial.hosts] })
  switch (needed?.kind) {
    case 'ports':
      return needed.ports.map((port) => `--port ${port}`).join(' ')
    case 'hosts':
      return needed.hosts.map((host) => `--host ${host}`).join(' ')
    case 'write':
      return `--write ${needed.path}`
    case 'network':
      return '--network open'
    case undefined:
      return undefined
  }
}

function proxyTo(hosts: string[], env: ConfinedRun['env']): ProxyRules {
  const wrong = hosts.find((host) => !parseHostRule(host))
  if (wrong !== undefined) {
    throw new AppError(
      'validation-failed',
      `${wrong} is not a host such as example.com, *.example.com or example.com:8443`,
    )
  }
  const outer = outerProxies(env)
  return { hosts, advice: '--host {host} allows it', ...(outer && { outer }), keys: [], env: {} }
}
