import { decideOutcome, type ProcessExit } from './exit-rules.ts'
import type { PlanBuilder } from './plan-builder.ts'
import type { ProcessState, ReconcileAction, SessionSnapshot } from './snapshot.ts'

const RUNNING = new Set(['creating', 'active', 'draining'])

/** Matches rows with processes: adopts what runs, records what exited, and ends what is unknown or unwanted. */
export function matchProcesses(builder: PlanBuilder): void {
  const knownKeys = new Set<string>()
  for (const { key } of builder.snapshot.sessions) if (key) knownKeys.add(key)
  for (const session of builder.idle) {
    const action = session.key ? actionFor(session, session.key, builder) : undefined
    if (action) builder.add(action)
  }
  for (const { key } of builder.hosted.values())
    if (!knownKeys.has(key)) builder.add({ do: 'end', key, session: undefined })
}

function actionFor(session: SessionSnapshot, key: string, { hosted, now }: PlanBuilder): ReconcileAction | undefined {
  const process = hosted.get(key)
  if (!process || process.exit) {
    const exit: ProcessExit = process?.exit ?? { how: 'lost' }
    return { do: 'record-exit', session: session.id, key, exit, outcome: decideOutcome(session, exit, now) }
  }
  if (!isSameProcess(session, process) || !RUNNING.has(session.state)) return { do: 'end', key, session: session.id }
  if (session.state !== 'creating') return undefined
  return { do: 'adopt', session: session.id, pid: process.pid, startedAt: process.startedAt }
}

/** Only the key of a session is known while it is being started. */
const isSameProcess = ({ pid, processStarted }: SessionSnapshot, process: ProcessState): boolean =>
  pid === undefined || (pid === process.pid && processStarted === process.startedAt)
