import type { Confinement } from '../../protocol/session.ts'
import { Broker } from '../broker/broker.ts'
import type { Report } from '../broker/loop.ts'
import { confinedArgv } from '../confined-command.ts'
import { HANDOVER } from '../enter.ts'
import { makePolicy } from './default-policy.ts'
import { makePrivateFolders } from './private-folders.ts'

/** A command as it is to be started, confined or not. */
export interface Startable {
  /** The file to run, and its arguments. */
  command: string[]
  /** What it finds as its own name. */
  argv0: string | undefined
  env: Readonly<Record<string, string | undefined>>
  /** What is given to it besides its three streams. */
  extra: 'pipe'[]
  /** Is told of the process as soon as it is there. */
  started(child: { pid: number; stdio: readonly unknown[] }): void
}

interface Wanted {
  key: string
  argv: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  confine?: Confinement
}

/** Starts the programs of sessions confined where they are to be. */
export class Confiner {
  readonly #broker: Broker

  /** `gc` starts this program again. */
  constructor(
    private readonly gc: readonly string[],
    onDenial: (denial: Report) => void,
  ) {
    this.#broker = new Broker(onDenial)
  }

  /** How a program is started: `program` is the file that its first word names. */
  prepare(program: string, { key, argv, env, confine }: Wanted): Startable {
    if (!confine) {
      return { command: [program, ...argv.slice(1)], argv0: argv[0], env, extra: [], started: () => {} }
    }
    const { folders, env: own } = makePrivateFolders(confine.private)
    const write = [...confine.write, folders.temporary, folders.state]
    const policy = makePolicy({ ...confine, program, write })
    return {
      command: confinedArgv(this.gc, policy, program, argv),
      argv0: undefined,
      env: { ...env, ...own },
      extra: ['pipe'],
      started: (child) => {
        const socket = child.stdio[HANDOVER]
        if (typeof socket === 'number') this.#broker.admit({ key, leader: child.pid, socket, policy })
      },
    }
  }
  /** Lets go of what it started: what confined programs would ask for fails from now on. */
  close(): void {
    this.#broker.close()
  }
}
