import { afterDeath, type Exit } from './aftermath.ts'
import type { Action, HostedView, SessionView } from './state.ts'
import type { Turn } from './turn.ts'

const RUNNING = new Set(['creating', 'active', 'draining'])

/** Brings rows and processes together: adopts what runs, buries what is gone, ends what nobody knows or wants. */
export function match(turn: Turn): void {
  const known = new Set<string>()
  for (const { key } of turn.situation.sessions) if (key) known.add(key)
  for (const session of turn.idle) {
    const action = session.key ? matched(session, session.key, turn) : undefined
    if (action) turn.decide(action)
  }
  for (const { key } of turn.hosted.values()) if (!known.has(key)) turn.decide({ do: 'end', key, session: undefined })
}

function matched(session: SessionView, key: string, { hosted, now }: Turn): Action | undefined {
  const process = hosted.get(key)
  if (!process || process.exit) {
    const exit: Exit = process?.exit ?? { how: 'lost' }
    return { do: 'bury', session: session.id, key, exit, after: afterDeath(session, exit, now) }
  }
  if (!same(session, process) || !RUNNING.has(session.state)) return { do: 'end', key, session: session.id }
  if (session.state !== 'creating') return undefined
  return { do: 'adopt', session: session.id, pid: process.pid, startedAt: process.startedAt }
}

/** The pid and start time of a session that is just being started are not known yet; its key is. */
const same = ({ pid, processStarted }: SessionView, process: HostedView): boolean =>
  pid === undefined || (pid === process.pid && processStarted === process.startedAt)
