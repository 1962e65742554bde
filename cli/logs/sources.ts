import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { LOG_FILE } from '../context/launch-supervisor.ts'
import type { LogSource } from './log-tail.ts'

/** Whose log is read. */
export type LogOwner = 'supervisor' | 'host'

/** The logs of a home that are there: the supervisor's, and those of its session hosts, one of each build. */
export async function findLogs(home: string, owners: readonly LogOwner[]): Promise<LogSource[]> {
  const found: LogSource[] = []
  if (owners.includes('supervisor')) {
    const path = join(home, LOG_FILE)
    found.push({ name: 'supervisor', path, rotated: `${path}.old` })
  }
  if (owners.includes('host')) found.push(...(await hostLogs(home)))
  return found.filter(({ path, rotated }) => existsSync(path) || existsSync(rotated))
}

async function hostLogs(home: string): Promise<LogSource[]> {
  const { HostPaths } = await import('../../src/host/protocol/host-paths.ts')
  const places = HostPaths.all(home).filter(({ log }) => existsSync(log))
  return places.map(({ log, build }) => ({
    name: places.length > 1 ? `host ${build}` : 'host',
    path: log,
    rotated: `${log}.1`,
  }))
}
