import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LOG_FILE } from '../context/launch-supervisor.ts'
import type { LogSource } from './log-tail.ts'

/** Owner of the log. */
export type LogOwner = 'supervisor' | 'host'

/** The file in a home that names the log of its supervisor, when that is another than the one in the home. */
const LOG_POINTER = 'supervisor.log.path'

/** Makes the log of a supervisor known to later readers; undefined for the one in the home. */
export function rememberLog(home: string, log: string | undefined): void {
  const pointer = join(home, LOG_POINTER)
  try {
    if (log === undefined || log === join(home, LOG_FILE)) rmSync(pointer, { force: true })
    else writeFileSync(pointer, `${log}\n`, { mode: 0o600 })
  } catch {
    // A full disk must not keep a supervisor from running.
  }
}

function rememberedLog(home: string): string | undefined {
  try {
    return readFileSync(join(home, LOG_POINTER), 'utf8').trim() || undefined
  } catch {
    return undefined
  }
}

/** The logs of a home that are there: the supervisor's, and those of its session hosts, one of each build. */
export async function findLogs(home: string, owners: readonly LogOwner[]): Promise<LogSource[]> {
  const found: LogSource[] = []
  if (owners.includes('supervisor')) {
    for (const path of [join(home, LOG_FILE), rememberedLog(home) ?? []].flat()) {
      found.push({ name: 'supervisor', path, rotated: `${path}.old` })
    }
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
