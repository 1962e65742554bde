import { realPath } from '../../../core/folders.ts'
import type { Resource } from '../../process/index.ts'
import type { Confinement, HostAnswer, HostPrompt, HostTraffic, ProxyRules } from '../../protocol/index.ts'
import { Broker } from '../broker/broker.ts'
import { MAX_DENIAL_KINDS } from '../broker/confined-session.ts'
import type { Report } from '../broker/loop.ts'
import { confinedArgv, hideVariables } from '../confined-command.ts'
import { HANDOVER } from '../enter.ts'
import { SessionProxy } from '../network/session-proxy.ts'
import { makePolicy, toolchainVariables } from './default-policy.ts'
import { gitVariables } from './git-settings.ts'
import { makePrivateFolders } from './private-folders.ts'
import { sandboxedArgv } from './sandbox-profile.ts'

/** A command as it should be started, confined or not. */
export interface Startable {
  /** The file to run, and its arguments. */
  command: string[]
  /** Name that it sees as its own. */
  argv0: string | undefined
  env: Readonly<Record<string, string | undefined>>
  /** Further descriptors besides its three streams. */
  extra: 'pipe'[]
  /** Called with the process as soon as it exists. */
  started(child: { pid: number; stdio: readonly unknown[] }): void
}

/** Receives the host prompt of a program; undefined when it has none. */
type HostPromptListener = (key: string, asked: HostPrompt | undefined) => void

interface Wanted {
  key: string
  argv: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  confine?: Confinement
  /** The resources that other programs are to have first. */
  yields?: readonly Resource[]
}

/** Starts the programs of sessions confined where they should be. */
export class Confiner {
  readonly #broker: Broker
  readonly #proxies = new Map<string, SessionProxy>()
  #onAsked: HostPromptListener = () => {}

  /** `gc` starts this program again. */
  constructor(
    private readonly gc: readonly string[],
    private readonly onDenial: (denial: Report) => void,
  ) {
    this.#broker = new Broker(onDenial)
  }

  /** Start of a program: `program` is the file of its first word. */
  prepare(program: string, { key, argv, env, confine, yields = [] }: Wanted): Startable {
    if (!confine) {
      return { command: [program, ...argv.slice(1)], argv0: argv[0], env, extra: [], started: () => {} }
    }
    const { folders, env: own } = makePrivateFolders(confine.private, confine)
    // Nothing above them is the program's, so that nobody puts a link there.
    const write = [...confine.write, realPath(folders.temporary), realPath(folders.state)]
    const proxy = confine.proxy && this.#openProxy(key, confine.proxy, confine.private)
    const ports = [...confine.ports, ...(proxy ? [proxy.port] : [])]
    const policy = makePolicy({ ...confine, program, write, ports, yields })
    const words = proxy ? proxy.fill(argv) : argv
    const given = { ...toolchainVariables(confine.home), ...env, ...gitVariables(env, confine.network) }
    const variables = { ...given, ...own, ...proxy?.env }
    if (process.platform === 'darwin') {
      return {
        argv0: undefined,
        env: variables,
        command: sandboxedArgv(policy, program, words),
        extra: [],
        started: () => {},
      }
    }
    return {
      ...{ argv0: undefined, env: hideVariables(variables) },
      command: confinedArgv(this.gc, policy, program, words),
      extra: ['pipe'],
      started: (child) => {
        const socket = child.stdio[HANDOVER]
        const { private: folder, reserved = [] } = confine
        if (typeof socket !== 'number') return
        const own = { key, leader: child.pid, socket, policy, reserved, folder }
        this.#broker.admit({ ...own, ...(proxy && { proxy: proxy.port }) })
      },
    }
  }

  /** The current host prompts, by the program that waits for them. */
  get asked(): { key: string; asked: HostPrompt }[] {
    return [...this.#proxies].flatMap(([key, { asked }]) => (asked ? [{ key, asked }] : []))
  }

  /** Sets the listener for host prompts. */
  onHostPrompt(listener: HostPromptListener): void {
    this.#onAsked = listener
  }

  /** Takes what a person says of a host; false when the program does not ask for it, or not any more. */
  answerHost(key: string, { host, port, answer }: { host: string; port: number; answer: HostAnswer }): boolean {
    return this.#proxies.get(key)?.answer(host, port, answer) ?? false
  }

  /** Traffic of a program so far, by host; undefined for one without a proxy. */
  traffic(key: string): HostTraffic[] | undefined {
    return this.#proxies.get(key)?.traffic
  }

  /** A program is over, and its way to other hosts with it; answers what it exchanged with each. */
  release(key: string): HostTraffic[] | undefined {
    const proxy = this.#proxies.get(key)
    this.#proxies.delete(key)
    if (proxy?.asked) this.#onAsked(key, undefined)
    proxy?.close()
    return proxy?.traffic
  }

  /** Lets go of what it started: what confined programs would ask for fails from now on. */
  close(): void {
    for (const key of [...this.#proxies.keys()]) this.release(key)
    this.#broker.close()
  }

  #openProxy(key: string, rules: ProxyRules, folder: string): SessionProxy {
    const told = new Set<string>()
    const onDenial = (target: string, hosts: readonly string[]) => {
      const isNew = !told.has(target) && told.size < MAX_DENIAL_KINDS
      if (isNew) told.add(target)
      this.onDenial({ key, folder, call: 'connect', target, hosts, count: 1, isNew })
    }
    const proxy = new SessionProxy({ rules, onDenial, onAsked: (asked) => this.#onAsked(key, asked) })
    this.#proxies.set(key, proxy)
    return proxy
  }
}
