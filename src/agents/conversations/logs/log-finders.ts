import { basename, join } from 'node:path'
import { asObject, asString, type JsonRecord } from '../entries/json.ts'
import { claudeLogs } from './claude-logs.ts'
import { CodexParser } from './codex.ts'
import { fileWrittenSince, isKey, jsonlHandle, type LogFinder, type LogHandle, type LogOrigin } from './finder.ts'
import { geminiLogs } from './gemini-logs.ts'
import { listNames } from './head.ts'
import { findSession, firstPrompt, OpenCodeLog, type OpenCodeSession, sessionsIn } from './opencode-db.ts'
import { folderFromEnv, type LogSearch } from './search.ts'

const DAY = 86_400_000
/** Maximum days whose folders are searched for logs written while the supervisor was down. */
const MAX_DAYS = 7
const ROLLOUT = /^rollout-.*\.jsonl$/

const root = ({ env }: LogSearch): string => join(folderFromEnv(env, 'CODEX_HOME', '.codex'), 'sessions')

/** The folder of a day, as year, month and day; in local time, as Codex names them. */
function dayFolder(time: number): [string, string, string] {
  const day = new Date(time)
  const padded = (n: number) => String(n).padStart(2, '0')
  return [String(day.getFullYear()), padded(day.getMonth() + 1), padded(day.getDate())]
}

const keyOf = (path: string): string => {
  const name = basename(path, '.jsonl')
  return /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.exec(name)?.[0] ?? name.replace(/^rollout-/, '')
}

const rollout = (path: string): LogHandle =>
  jsonlHandle(path, keyOf(path), () => new CodexParser(keyOf(path)), originOf)

function originOf(records: readonly JsonRecord[]): LogOrigin {
  const meta = asObject(records.find(({ type }) => type === 'session_meta')?.payload)
  const spawn = asObject(asObject(asObject(meta.source).subagent).thread_spawn)
  const parent = asString(meta.parent_thread_id) ?? asString(spawn.parent_thread_id)
  return { folder: asString(meta.cwd), parent, isCommand: meta.source === 'exec' }
}

/** The folders of days that have rollouts, newest first. */
const daysIn = (folder: string): string[] =>
  listNames(folder)
    .flatMap((year) => listNames(join(folder, year)).map((month) => join(year, month)))
    .flatMap((month) => listNames(join(folder, month)).map((day) => join(month, day)))
    .sort()
    .reverse()

/** The rollouts of Codex, in a folder for each day. */
const codexLogs: LogFinder = {
  /** The folders above are watched for those of the next days. */
  folders(search) {
    const days: string[] = []
    const first = Math.max(search.startedAfter, search.now - MAX_DAYS * DAY) - DAY
    for (let time = search.now + DAY; time >= first; time -= DAY) {
      const [year, month, day] = dayFolder(time)
      days.push(join(year, month, day))
    }
    const parts = days.flatMap((day) => [day, join(day, '..'), join(day, '../..')])
    return [...new Set(['', ...parts])].map((part) => join(root(search), part))
  },
  handle: (path) => rollout(path),
  findByKey(search, key) {
    if (!isKey(key)) return undefined
    for (const day of daysIn(root(search))) {
      const folder = join(root(search), day)
      const name = listNames(folder).find((file) => ROLLOUT.test(file) && file.endsWith(`${key}.jsonl`))
      if (name !== undefined) return rollout(join(folder, name))
    }
    return undefined
  },
  writtenSince: (_, folder, changed, since) =>
    (changed === undefined ? listNames(folder) : [changed]).flatMap((name) => {
      const path = ROLLOUT.test(name) ? fileWrittenSince(folder, name, since) : undefined
      return path === undefined ? [] : [rollout(path)]
    }),
}

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
const opencodeLogs: LogFinder = {
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

/** The finders of all programs whose logs can be read, by built-in provider. */
export const LOG_FINDERS: ReadonlyMap<string, LogFinder> = new Map(
  Object.entries({
    ...{ claude: claudeLogs, codex: codexLogs, gemini: geminiLogs },
    ...{ opencode: opencodeLogs, groq: opencodeLogs, cerebras: opencodeLogs },
  }),
)
