import type { FilePosition, LogHandle } from '../../../programs/logs/index.ts'
import type { LogRole } from './log-store.ts'
import type { Claim } from './owners.ts'
import type { SharedLog } from './shared-log.ts'

/** A log of a session's conversation. */
export interface OwnLog extends Claim {
  readonly handle: LogHandle
}

/** A log of a session's conversation while it is tracked. */
export interface TrackedLog {
  readonly handle: LogHandle
  role: LogRole
  since: number
  /** Counts up with each reading. */
  readAt: number
  reader: SharedLog | undefined
  /** Position at which reading resumes when the log is reopened. */
  position: FilePosition | undefined
  /** Ends the subscription to a log that is not a file. */
  unwatch: () => void
}

/** Logs in the order in which they were begun: what comes first is the session's own conversation. */
export const inOrder = (logs: readonly LogHandle[]): LogHandle[] =>
  logs.length < 2
    ? [...logs]
    : logs
        .map((log) => ({ log, at: log.createdAt() }))
        .sort((a, b) => a.at - b.at)
        .map(({ log }) => log)

/** Closes the reader of a log; the place where it stopped is kept. */
export async function closeReader(log: TrackedLog): Promise<void> {
  log.unwatch()
  log.position = log.reader?.reader.position ?? log.position
  const { reader } = log
  log.reader = undefined
  await reader?.close()
}
