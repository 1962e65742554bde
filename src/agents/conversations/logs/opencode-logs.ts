import { join } from 'node:path'
import type { LogFinder, LogHandle } from './finder.ts'
import { findSession, firstPrompt, OpenCodeLog, type OpenCodeSession, sessionsIn } from './opencode-db.ts'
import { folderFromEnv, type LogSearch } from './search.ts'

const DATABASE = 'opencode.db'

const folderOf = ({ env }: LogSearch): string =>
  join(folderFromEnv(env, 'XDG_DATA_HOME', '.local', 'share'), 'opencode')

function conversation(path: string, key: string, known?: OpenCodeSession): LogHandle {
  const row = () => known ?? findSession(path, key)
  return {
    key,
    path,
    open: () => new OpenCodeLog(path, key),
    firstPrompt: () => firstPrompt(path, key),
    origin: () => ({ folder: row()?.directory, parent: row()?.parent_id ?? undefined, isCommand: false }),
    createdAt: () => row()?.time_created ?? 0,
    size: () => 0,
  }
}

/** The conversations in the database of OpenCode. */
export const opencodeLogs: LogFinder = {
  folders: (search) => [folderOf(search)],
  handle: (path, key) => conversation(path, key),
  findByKey(search, key) {
    const path = join(folderOf(search), DATABASE)
    return findSession(path, key) ? conversation(path, key) : undefined
  },
  writtenSince(search, folder, changed, since) {
    if (changed !== undefined && !changed.startsWith(DATABASE)) return []
    const path = join(folder, DATABASE)
    return search.folders.flatMap((project) =>
      sessionsIn(path, project, since).map((session) => conversation(path, session.id, session)),
    )
  },
}
