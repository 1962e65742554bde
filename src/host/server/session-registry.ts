import { AppError } from '../../core/errors.ts'
import type { AgentSession, RecordQueue } from '../acp/index.ts'
import type { CommandSession } from '../command/index.ts'
import type { Exit, Question } from '../protocol/index.ts'
import type { TerminalSession } from './terminal-session.ts'

/** A program that a host runs, by one kind of connection or another. */
export type HostSession = TerminalSession | AgentSession | CommandSession

/** Reports of a session to its host. */
export interface SessionEvents {
  output(session: HostSession): void
  exited(session: HostSession): void
  appended(queue: RecordQueue): void
  question(session: HostSession, question: Question | undefined): void
}

/** Reports of a host's sessions to its connections. */
export interface HostSessionsListener {
  output(session: HostSession): void
  /** An agent has produced a record. */
  recordAppended(queue: RecordQueue): void
  /** A program on a terminal asks something, or nothing any more. */
  question(key: string, question: Question | undefined): void
  exit(exit: Exit): void
  /** A session came or went, or an exit was acknowledged. */
  changed(): void
}

/** Maximum ended sessions whose last output is kept for late readers. */
const MAX_ENDED = 64

/** The sessions of a host by key: those that run, and those that ended last. */
export class SessionRegistry {
  readonly #running = new Map<string, HostSession>()
  readonly #ended = new Map<string, HostSession>()

  get running(): number {
    return this.#running.size
  }

  /** Those that run. */
  get all(): HostSession[] {
    return [...this.#running.values()]
  }

  /** Current screen questions of programs. */
  get questions(): { key: string; question: Question }[] {
    return this.all.flatMap((session) => {
      const question = session.kind === 'terminal' ? session.question : undefined
      return question ? [{ key: session.key, question }] : []
    })
  }

  runs(key: string): boolean {
    return this.#running.has(key)
  }

  find(key: string): HostSession | undefined {
    return this.#running.get(key)
  }

  ended(run: string): HostSession | undefined {
    return this.#ended.get(run)
  }

  add(session: HostSession): void {
    this.#running.set(session.key, session)
  }

  moveToEnded(session: HostSession): void {
    this.#running.delete(session.key)
    this.#ended.set(session.run, session)
    for (const run of [...this.#ended.keys()].slice(0, -MAX_ENDED)) this.#ended.delete(run)
  }

  forget(run: string): void {
    this.#ended.delete(run)
  }

  /** The session of a key, the one that ended last where none runs. */
  latest(key: string): HostSession | undefined {
    return this.#running.get(key) ?? [...this.#ended.values()].findLast((session) => session.key === key)
  }

  /** The session that runs under a key. */
  get(key: string): HostSession {
    const session = this.#running.get(key)
    if (session) return session
    throw new AppError('session-not-found', `no session ${key} runs here`)
  }

  /** The session under a key, which must be one that can be sent signals: its terminal, or its agent. */
  foreground(key: string): TerminalSession | AgentSession {
    const session = this.get(key)
    if (session.kind !== 'command') return session
    throw new AppError('conflict-wrong-state', `${key} is a command: it can only be stopped`)
  }

  /** The session under a key, which must be on a terminal. */
  terminal(key: string): TerminalSession {
    return onTerminal(this.get(key))
  }

  /** The session under a key, which must be spoken to by protocol. */
  agent(key: string): AgentSession {
    const session = this.get(key)
    if (session.kind === 'acp') return session
    throw new AppError('conflict-wrong-state', `${key} does not use the agent protocol (ACP)`)
  }

  /** The terminal or the command of a key, of the session that ended last where none runs. */
  followed(key: string): TerminalSession | CommandSession {
    const session = this.latest(key)
    if (session?.kind === 'command') return session
    return this.latestTerminal(key)
  }

  /** The terminal of a key, of the session that ended last where none runs. */
  latestTerminal(key: string): TerminalSession {
    const session = this.latest(key)
    if (session) return onTerminal(session)
    throw new AppError('session-not-found', `no session ${key} runs here`)
  }
}

function onTerminal(session: HostSession): TerminalSession {
  if (session.kind === 'terminal') return session
  throw new AppError('conflict-wrong-state', `${session.key} has no terminal`)
}
