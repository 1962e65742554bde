import { type Clock, toTimestamp } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { Lock } from '../../core/lock.ts'
import type { Origin, ProcessEnder } from '../process/index.ts'
import type { Exit } from '../protocol/index.ts'
import { HostPaths } from '../protocol/index.ts'
import { HostFiles, type SessionRecord } from './host-files.ts'

/** Short grace period for processes of a dead host, which have lost their terminal. */
const GRACE_MS = 1_000

/**
 * Ends what a host that died left on its record, daemons as well, and keeps the exits in `into`. Throws when that
 * cannot be done: then nothing may be started in its stead.
 */
export async function reclaim(lost: HostFiles, into: HostFiles, endings: ProcessEnder, clock: Clock): Promise<Exit[]> {
  const records = lost.sessions()
  if (records.length > 0) {
    const { survivors } = await endings.end(records.map(originOf), { grace: GRACE_MS, daemons: true })
    if (survivors.length > 0) {
      const named = survivors.map(({ pid, command }) => `${pid} (${command})`).join(', ')
      throw new AppError(
        'service-unavailable',
        `a host died and left ${named}, which survived SIGKILL; stop it yourself`,
      )
    }
  }
  const exits = records.map((record) => exitOf(record, clock))
  const unreported = lost === into ? exits : [...lost.exits(), ...exits]
  for (const exit of unreported) into.keepExit(exit)
  for (const { run } of records) lost.drop(run)
  if (lost !== into) handOver(lost, into, unreported)
  return unreported
}

/** The next host reports what a lost one could not. */
function handOver(lost: HostFiles, into: HostFiles, exits: readonly Exit[]): void {
  for (const { run } of exits) lost.dropExit(run)
  into.takeUnacknowledged(lost)
}

/** Reclaims from every other build's host of this home that died; one that lives holds its lock and is left alone. */
export async function reclaimOthers(
  own: HostPaths,
  into: HostFiles,
  endings: ProcessEnder,
  clock: Clock,
): Promise<Exit[]> {
  const exits: Exit[] = []
  for (const place of HostPaths.all(own.home)) {
    if (place.folder === own.folder) continue
    const lock = acquireIfFree(place)
    if (!lock) continue
    try {
      const lost = new HostFiles(place)
      lost.open()
      exits.push(...(await reclaim(lost, into, endings, clock)))
      place.clear()
    } finally {
      lock.release()
    }
  }
  return exits
}

function acquireIfFree(place: HostPaths): Lock | undefined {
  try {
    return Lock.acquire(place.lock, `the reclaiming of host ${place.build}`)
  } catch (error) {
    if (error instanceof AppError && error.code === 'conflict-wrong-state') return undefined
    throw error
  }
}

const originOf = ({ pid, started, marks, cgroup }: SessionRecord): Origin => ({
  pid: pid ?? 0,
  started: started ?? '',
  marks,
  ...(cgroup !== undefined && { cgroup }),
})

function exitOf({ run, key, pid, startedAt }: SessionRecord, clock: Clock): Exit {
  const endedAt = toTimestamp(clock.now())
  return {
    run,
    key,
    pid: pid ?? 0,
    startedAt,
    endedAt,
    state: 'exited',
    reason: 'host-lost',
    lastOutput: [],
    daemons: [],
  }
}
