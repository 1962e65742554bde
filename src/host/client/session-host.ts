import type {
  Activity,
  AgentRecord,
  ChoiceOutcome,
  Ended,
  EndOptions,
  Exit,
  ForegroundSignal,
  HostAnswer,
  HostedSession,
  HostPrompt,
  HostStatus,
  HostTraffic,
  OutputChunk,
  ProcessRef,
  Question,
  Screen,
  Snapshot,
  StartResult,
  StartSpec,
} from '../protocol/index.ts'
import type { Reported } from './reported.ts'

/**
 * Operations of the supervisor on the session host. Every call has a deadline: it answers, fails with a sentence, or
 * fails with `gateway-timeout`; while the host is gone and coming back it waits within that deadline.
 */
export interface SessionHost {
  /**
   * Starts a program. Refuses with a sentence when it cannot be started; a running key is `session-conflict`. One of
   * kind `acp` is started once it has opened a conversation.
   */
  start(spec: StartSpec): Promise<StartResult>
  /** Every session of every host of this home, exits that no one acknowledged included. */
  list(): Promise<HostedSession[]>
  /**
   * Ends the whole tree: TERM, KILL, then a check; fails when a process survived. Undefined when no host knows
   * the key: it is gone already. The exit is reported to `onExit` as well.
   */
  end(key: string, options?: EndOptions): Promise<Ended | undefined>
  /** Daemons that left running sessions, by key. Hosts of older builds cannot tell. */
  listDaemons(): Promise<Map<string, ProcessRef[]>>
  /** Traffic of a running session so far. Hosts of older builds fail with `not-implemented`. */
  traffic(key: string): Promise<HostTraffic[]>
  /** Types into the terminal; rejected while a megabyte waits to be read. */
  write(key: string, bytes: Uint8Array | string): Promise<void>
  resize(key: string, cols: number, rows: number): Promise<void>
  /** Sends a signal to what runs in the terminal's foreground. */
  signal(key: string, signal: ForegroundSignal): Promise<void>
  /** The screen as text; with `lines`, the last so many lines of scrollback and screen; with `styles`, in colour as well. */
  screen(key: string, lines?: number, styles?: boolean): Promise<Screen>
  snapshot(key: string): Promise<Snapshot>
  /**
   * Output from an absolute offset on, until the session has ended or the signal is aborted. A reader that is slower
   * than the program gets a `gap` where bytes were overwritten; going on after a lost connection leaves none.
   */
  follow(key: string, from: number | 'end', signal: AbortSignal): AsyncIterable<OutputChunk>
  /**
   * Gives a program of kind `acp` a turn; resolves when it has taken it. Refused with its reason when it has not, with
   * `conflict-wrong-state` while it works on another. One that it was given already is not given again.
   */
  prompt(key: string, turn: string, text: string): Promise<void>
  /** Has such a program end its turn; whether it did so in time. Its open questions are withdrawn. */
  cancel(key: string): Promise<boolean>
  /** Has such a program work in another of its modes from now on; fails with its reason when it does not. */
  mode(key: string, mode: string): Promise<void>
  /** Answers a question of such a program with one of the choices it gave. */
  answer(key: string, request: string, choice: string, text?: string): Promise<void>
  /** Question on a session's terminal, as reported by its host. */
  question(key: string): Question | undefined
  /** Resolves when the hosts that were found have said what their programs ask. */
  whenQuestionsKnown(): Promise<void>
  /** True if the host of a session reports its questions; one of an earlier build does not. */
  reportsQuestions(key: string): boolean
  /** Called when a program asks something on its screen, something else, or nothing any more. */
  onQuestion(listener: (key: string, question: Question | undefined) => void): () => void
  /** The hosts beyond all lists that confined programs ask for, one at a time for each. */
  readonly askedHosts: Pick<Reported<HostPrompt>, 'all' | 'find' | 'subscribe' | 'isKnown' | 'whenKnown'>
  /** Says whether a program may reach such a host; false when no one is asked about it any more. */
  answerHost(key: string, said: { host: string; port: number; answer: HostAnswer }): Promise<boolean>
  /**
   * Takes an option of such a question. It is taken once: asked again for the same question, whatever the option, the host
   * answers as it did before.
   */
  choose(key: string, question: string, option: string, text?: string): Promise<ChoiceOutcome>
  /**
   * Calls the listener with the records of such programs, in order. The host keeps them until a listener has resolved
   * with anything but `false`, which means that they are another's. Unacknowledged records are sent again.
   */
  onRecords(listener: (batch: RecordBatch) => unknown): () => void
  /**
   * Calls the listener for each session that is over, also for those that ended while no supervisor was connected. The
   * host keeps an exit until a listener has resolved with anything but `false`, which means that the exit is another's.
   * When it throws, the exit is sent again after a reconnect.
   */
  onExit(listener: (exit: Exit) => unknown): () => void
  /** Called when there is new output, at most ten times a second for each session. */
  onOutput(key: string | undefined, listener: (key: string, activity: Activity) => void): () => void
  /** Called when a host process is gone. Its sessions are ended and reported to `onExit` before anything new starts. */
  onLost(listener: (sentence: string) => void): () => void
  /** The hosts of this home, the one that takes new sessions first. */
  status(): Promise<HostStatus[]>
  /** Ends every session, then the hosts; resolves when they are gone. */
  shutdown(options?: { grace?: number }): Promise<void>
  /** Lets go of the hosts, which run on. */
  close(): void
}

/** Records of one run of a program, oldest first. */
export interface RecordBatch {
  key: string
  run: string
  records: AgentRecord[]
}
