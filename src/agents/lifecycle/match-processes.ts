import { decideOutcome, type ProcessExit } from './exit-rules.ts'
import type { PlanBuilder } from './plan-builder.ts'
import type { ProcessState, ReconcileAction, SessionSnapshot } from './snapshot.ts'

const RUNNING = new Set(['creating', 'active', 'draining'])

/** Brings rows and processes together: adopts what runs, buries what is gone, ends what nobody knows or wants. */
export function matchProcesses(turn: PlanBuilder): void {
  const known = new Set<string>()
  for (const { key } of turn.state.sessions) if (key) known.add(key)
  for (const session of turn.idle) {
    const action = session.key ? actionFor(session, session.key, turn) : undefined
    if (action) turn.add(action)
  }
  for (const { key } of turn.hosted.values()) if (!known.has(key)) turn.add({ do: 'end', key, session: undefined })
}

function actionFor(session: SessionSnapshot, key: string, { hosted, now }: PlanBuilder): ReconcileAction | undefined {
  const process = hosted.get(key)
  if (!process || process.exit) {
    const exit: ProcessExit = process?.exit ?? { how: 'lost' }
    return { do: 'record-exit', session: session.id, key, exit, after: decideOutcome(session, exit, now) }
  }
  if (!isSameProcess(session, process) || !RUNNING.has(session.state)) return { do: 'end', key, session: session.id }
  if (session.state !== 'creating') return undefined
  return { do: 'adopt', session: session.id, pid: process.pid, startedAt: process.startedAt }
}

/** The pid and start time of a session that is just being started are not known yet; its key is. */
const isSameProcess = ({ pid, processStarted }: SessionSnapshot, process: ProcessState): boolean =>
  pid === undefined || (pid === process.pid && processStarted === process.startedAt)
