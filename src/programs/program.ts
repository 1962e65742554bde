import type { JsonRecord } from './entries/json.ts'
import type { LimitReader, LogStatement } from './limits/statement.ts'
import type { LogFinder } from './logs/finder.ts'

/**
 * An agent program. Its parts are loaded by whoever needs them: the session host knows nothing of its logs, and a command
 * that edits the configuration nothing of its screens.
 */
export interface Program {
  /** The name of its preset. */
  readonly name: string
  /** What sessions need to know of it; absent where gc only starts it. */
  readonly runtime?: () => Promise<ProgramRuntime>
}

/** What gc knows of a program that runs in a session. */
export interface ProgramRuntime {
  /** Finds the logs of its conversations; absent where they cannot be read. */
  readonly log?: LogFinder
  /** The context window of models in tokens; the first pattern that matches a name applies. */
  readonly contextWindows?: readonly (readonly [model: RegExp, tokens: number])[]
  /** Reads what it says of a usage limit on its screen. */
  readonly limit?: LimitReader
  /** Reads what an entry of its log says of its login. */
  readonly readEntry?: (entry: JsonRecord) => LogStatement | undefined
  /** What it says when its login is not accepted. */
  readonly loginFailure?: RegExp
}
