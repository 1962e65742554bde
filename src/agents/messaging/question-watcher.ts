import { gcPart } from '../../core/actor.ts'
import type { CityContext } from '../../core/city-context.ts'
import type { Deadline } from '../../core/deadlines.ts'
import { AppError, errorMessage } from '../../core/errors.ts'
import type { SessionHost } from '../../host/client/index.ts'
import type { Question } from '../../host/protocol/index.ts'
import type { AskedSubject } from '../../programs/terminal-profile.ts'
import { isRunning, type RunningSession, type SessionRepository } from '../../work/sessions/index.ts'
import type { AcpConversations } from '../conversations/index.ts'
import type { LaunchPlanner } from '../launch/index.ts'
import { askingOf, type CommandFolders, isOfSession, type QuestionRow, type Questions } from '../questions/index.ts'
import { findDialog } from './dialogs.ts'

/** A screen is read once nothing was written for so long, or else this long after the first output. */
const QUIET_MS = 300
const LATEST_MS = 1_000

/** State of one session's screen between two checks. */
interface Watch {
  deadline: Deadline | undefined
  /** First and last output since the last check, by the monotonic clock. */
  first: number
  last: number
  /** Question id found on a screen that was still being written, or none. */
  unsure: string | undefined
}

const NONE = 'none'

/**
 * Records the questions that programs ask on their screens as they come up and go, which their hosts report. Screens of
 * a host of an earlier build are read here: one that is being drawn may show half a question, or none for a moment; then
 * two looks have to agree.
 */
export class QuestionWatcher {
  readonly #watches = new Map<string, Watch>()
  /** Looks and answers of one session, one after the other. */
  readonly #turns = new Map<string, Promise<unknown>>()
  #isClosed = false
  #unsubscribe: (() => void) | undefined

  constructor(
    private readonly context: CityContext,
    private readonly options: {
      city: string
      host: Pick<SessionHost, 'list' | 'screen' | 'question' | 'reportsQuestions' | 'whenQuestionsKnown' | 'onQuestion'>
      launchPlanner: LaunchPlanner
      repository: SessionRepository
      conversations: Pick<AcpConversations, 'usesAcp'>
      questions: Questions
      commandFolders: Pick<CommandFolders, 'around'>
      /** The bead that a session works on, or was created for. */
      beadOf(row: RunningSession): string | undefined
    },
  ) {}

  /** Records what came up or went while no one looked, and from now on whatever does. */
  async start(): Promise<void> {
    const { host, repository, city } = this.options
    this.#isClosed = false
    this.#unsubscribe = host.onQuestion((key) => {
      const [of, session] = key.split('/')
      if (of === city && session !== undefined) void this.#look(session, true)
    })
    const running = repository.live().filter(isRunning)
    if (running.length > 0) await host.list()
    await Promise.all(running.map(({ id }) => this.#look(id, true)))
  }

  close(): void {
    this.#isClosed = true
    this.#unsubscribe?.()
    for (const { deadline } of this.#watches.values()) deadline?.cancel()
    this.#watches.clear()
  }

  /** The program of a session wrote something. */
  onOutput(session: string, key: string): void {
    if (this.#isClosed || this.options.host.reportsQuestions(key)) return
    const now = this.context.clock.monotonic()
    const watch = this.#watches.get(session) ?? { deadline: undefined, first: now, last: now, unsure: undefined }
    this.#watches.set(session, watch)
    watch.last = now
    if (watch.deadline) return
    watch.first = now
    this.#schedule(session, watch, QUIET_MS)
  }

  /** Runs something that changes what a screen asks, with no look at that screen. */
  alone<T>(session: string, work: () => Promise<T>): Promise<T> {
    const previous = this.#turns.get(session) ?? Promise.resolve()
    const turn = previous.then(work, work)
    const done = turn
      .catch(() => {})
      .then(() => {
        if (this.#turns.get(session) === done) this.#turns.delete(session)
      })
    this.#turns.set(session, done)
    return turn
  }

  #schedule(session: string, watch: Watch, delay: number): void {
    watch.deadline = this.context.deadlines.after(delay, () => this.#onDue(session, watch))
  }

  #onDue(session: string, watch: Watch): void {
    const now = this.context.clock.monotonic()
    const quietFor = now - watch.last
    const isQuiet = quietFor >= QUIET_MS
    if (!isQuiet && now - watch.first < LATEST_MS) {
      this.#schedule(session, watch, QUIET_MS - quietFor)
      return
    }
    watch.deadline = undefined
    void this.#look(session, isQuiet)
  }

  #look(session: string, isQuiet: boolean): Promise<void> {
    return this.alone(session, () => this.#read(session, isQuiet)).catch((error) => {
      if (this.#isClosed || (error instanceof AppError && error.code === 'session-not-found')) return
      this.context.report(`the screen of session ${session}: ${errorMessage(error)}`)
    })
  }

  async #read(session: string, isQuiet: boolean): Promise<void> {
    const { repository, conversations, questions } = this.options
    const row = repository.find(session)
    if (!row || !isRunning(row)) {
      this.#watches.delete(session)
      return
    }
    if (conversations.usesAcp(row.hostKey)) return
    const seen = await findDialog(this.options, row, () => this.context.clock.now())
    const [open] = questions.openOf(row.hostKey)
    if (seen?.id === open?.request || open?.state === 'answering') return this.#forget(session)
    const isSure = this.options.host.reportsQuestions(row.hostKey) || this.#isSure(session, isQuiet, seen)
    if (isSure) await this.#record(row, open, seen)
  }

  /** True if a look counts: the screen was quiet and shows a question, or the look before saw the same. */
  #isSure(session: string, isQuiet: boolean, seen: Question | undefined): boolean {
    const id = seen?.id ?? NONE
    const watch = this.#watches.get(session)
    if ((isQuiet && seen) || watch?.unsure === id) {
      this.#forget(session)
      return true
    }
    const now = this.context.clock.monotonic()
    const next = watch ?? { deadline: undefined, first: now, last: now, unsure: undefined }
    next.unsure = id
    this.#watches.set(session, next)
    if (!next.deadline) this.#schedule(session, next, QUIET_MS)
    return false
  }

  #forget(session: string): void {
    const watch = this.#watches.get(session)
    if (watch) watch.unsure = undefined
  }

  async #record(row: RunningSession, open: QuestionRow | undefined, seen: Question | undefined): Promise<void> {
    const { store } = this.context
    const { questions, repository, beadOf } = this.options
    const subject = seen && this.#subjectOf(row, seen)
    await store.write((tx) => {
      if (repository.find(row.id)?.hostKey !== row.hostKey) return
      if (open) questions.end(tx, open.id)
      if (seen) questions.raise(tx, askingOf(row, 'screen', beadOf(row)), seen, subject)
    }, gcPart('screens'))
  }

  /** Subject of a dialog, with the folder of a command that is known to run elsewhere. */
  #subjectOf(row: RunningSession, seen: Question): AskedSubject | undefined {
    const { launchPlanner, commandFolders } = this.options
    const subject = launchPlanner.program(row).profile.subject?.(seen, row.workDir)
    if (subject?.kind !== 'command') return subject
    const [folder, ...others] = commandFolders.around(row.hostKey, subject.line, seen.since)
    return folder && others.length === 0 && !isOfSession(folder, row.workDir) ? { ...subject, folder } : subject
  }
}
