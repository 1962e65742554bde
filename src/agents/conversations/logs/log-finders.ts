import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { asObject, asString, parseJson } from '../entries/json.ts'
import type { LogReader } from '../entries/log-reader.ts'
import { ClaudeParser } from './claude.ts'
import { CodexParser } from './codex.ts'
import { GeminiParser } from './gemini.ts'
import { filesCreatedSince, firstPrompt, listNames, readHead } from './head.ts'
import { JsonLog } from './json-log.ts'
import { JsonlLog, type LogReaderOptions } from './jsonl-log.ts'
import { firstPrompt as firstKept, hasSession, OpenCodeLog, sessionsIn } from './opencode-db.ts'
import { folderFromEnv, homeFolder, type LogSearch } from './search.ts'

/** A log that was found. */
export interface LogHandle {
  /** What its program calls the conversation. */
  readonly key: string
  readonly path: string
  open(bounds: LogReaderOptions): LogReader
  /** What its program was told first. */
  firstPrompt(): string
}

/** Where programs of one kind keep their logs. */
export interface LogFinder {
  /** Folders in which a log of such a session would appear. */
  directories(where: LogSearch): string[]
  /** The log of a conversation whose name is known. */
  findByKey(where: LogSearch, key: string): LogHandle | undefined
  /** Logs that may be such a session's: of its folder, and begun since it was. */
  findCandidates(where: LogSearch): LogHandle[]
}

const jsonlHandle = (
  path: string,
  key: string,
  parser: () => ClaudeParser | CodexParser | GeminiParser,
): LogHandle => ({
  key,
  path,
  open: (bounds) => new JsonlLog(path, parser, bounds),
  firstPrompt: () => firstPrompt(path, parser()),
})

/** A key stands in names of files, and so has to look like one. */
const isKey = (key: string): boolean => /^[\w.-]+$/.test(key) && !key.includes('..')

/** Claude names a folder after a path in which only letters and digits are left. */
const claudeProjects = ({ env, folders }: LogSearch): string[] => {
  const root = join(folderFromEnv(env, 'CLAUDE_CONFIG_DIR', '.claude'), 'projects')
  const slugs = folders.flatMap((folder) => [folder.replace(/[/.]/g, '-'), folder.replace(/[^A-Za-z0-9]/g, '-')])
  return [...new Set(slugs)].map((slug) => join(root, slug))
}

const claudeLog = (path: string): LogHandle => jsonlHandle(path, basename(path, '.jsonl'), () => new ClaudeParser())

const claude: LogFinder = {
  directories: claudeProjects,
  findByKey: (where, key) => {
    const path = claudeProjects(where)
      .map((folder) => join(folder, `${key}.jsonl`))
      .find((file) => isKey(key) && existsSync(file))
    return path === undefined ? undefined : claudeLog(path)
  },
  findCandidates: (where) =>
    claudeProjects(where).flatMap((folder) => filesCreatedSince(folder, /\.jsonl$/, where.startedAfter).map(claudeLog)),
}

const DAY = 86_400_000
const codexSessions = ({ env }: LogSearch): string => join(folderFromEnv(env, 'CODEX_HOME', '.codex'), 'sessions')

/** `2026/04/04`, for every day since a moment, newest first; in local time, as Codex names them. */
function daysSince(since: number, now: number): string[] {
  const days = new Set<string>()
  for (let at = now + DAY; at >= since - DAY && days.size < 400; at -= DAY) {
    const day = new Date(at)
    const two = (n: number) => String(n).padStart(2, '0')
    days.add(join(String(day.getFullYear()), two(day.getMonth() + 1), two(day.getDate())))
  }
  return [...days]
}

const codexKey = (path: string): string => {
  const name = basename(path, '.jsonl')
  return /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.exec(name)?.[0] ?? name.replace(/^rollout-/, '')
}

const codexLog = (path: string): LogHandle => jsonlHandle(path, codexKey(path), () => new CodexParser(codexKey(path)))

/** The days on which there are rollouts, newest first. */
const daysIn = (root: string): string[] =>
  listNames(root)
    .flatMap((year) => listNames(join(root, year)).map((month) => join(year, month)))
    .flatMap((month) => listNames(join(root, month)).map((day) => join(month, day)))
    .sort()
    .reverse()

const codex: LogFinder = {
  directories: (where) => daysSince(where.now, where.now).map((day) => join(codexSessions(where), day)),
  findByKey: (where, key) => {
    const root = codexSessions(where)
    if (!isKey(key)) return undefined
    for (const day of daysIn(root)) {
      const name = listNames(join(root, day)).find(
        (file) => file.startsWith('rollout-') && file.endsWith(`${key}.jsonl`),
      )
      if (name !== undefined) return codexLog(join(root, day, name))
    }
    return undefined
  },
  findCandidates: (where) => {
    const root = codexSessions(where)
    const files = daysIn(root)
      .slice(0, daysSince(where.startedAfter, where.now).length)
      .flatMap((day) => filesCreatedSince(join(root, day), /^rollout-.*\.jsonl$/, where.startedAfter))
    return files.filter((path) => where.folders.includes(codexWorkingFolder(path))).map(codexLog)
  },
}

/** The folder a rollout says it was begun in. */
function codexWorkingFolder(path: string): string {
  const said = /"cwd":("(?:[^"\\]|\\.)*")/.exec(readHead(path, 64 * 1024))?.[1]
  return String(parseJson(said ?? '') ?? '')
}

/** The folders in which Gemini keeps the chats of a project, whichever way it names them. */
function geminiChats({ env, folders }: LogSearch): string[] {
  const root = join(env.GEMINI_CLI_HOME || homeFolder(env), '.gemini')
  const listed = asObject(asObject(parseJson(readHead(join(root, 'projects.json')))).projects)
  const names = folders.flatMap((folder) => {
    const hash = createHash('sha256').update(folder).digest('hex')
    return [asString(listed[folder]), hash].flatMap((name) => name ?? [])
  })
  return names.map((name) => join(root, 'tmp', name, 'chats'))
}

const geminiKey = (path: string): string =>
  String(parseJson(/"sessionId":\s*("(?:[^"\\]|\\.)*")/.exec(readHead(path, 64 * 1024))?.[1] ?? '') ?? '')

function geminiLog(path: string): LogHandle {
  if (path.endsWith('.jsonl')) return jsonlHandle(path, geminiKey(path), () => new GeminiParser())
  return {
    key: geminiKey(path),
    path,
    open: () => new JsonLog(path, new GeminiParser()),
    firstPrompt: () => firstPrompt(path, new GeminiParser()),
  }
}

const GEMINI_CHAT = /^session-.*\.jsonl?$/

const gemini: LogFinder = {
  directories: (where) => [...geminiChats(where), join(where.env.GEMINI_CLI_HOME || homeFolder(where.env), '.gemini')],
  findByKey: (where, key) => {
    const files = geminiChats(where).flatMap((folder) => filesCreatedSince(folder, GEMINI_CHAT, 0))
    const own = files.filter((path) => basename(path).includes(key.slice(0, 8)) && geminiKey(path) === key)
    const path = own.find((file) => file.endsWith('.jsonl')) ?? own[0]
    return path === undefined ? undefined : geminiLog(path)
  },
  findCandidates: (where) =>
    geminiChats(where).flatMap((folder) => filesCreatedSince(folder, GEMINI_CHAT, where.startedAfter).map(geminiLog)),
}

const openCodeFolder = ({ env }: LogSearch): string =>
  join(folderFromEnv(env, 'XDG_DATA_HOME', '.local', 'share'), 'opencode')

const openCodeLog = (folder: string, key: string): LogHandle => {
  const path = join(folder, 'opencode.db')
  return { key, path, open: () => new OpenCodeLog(path, key), firstPrompt: () => firstKept(path, key) }
}

const opencode: LogFinder = {
  directories: (where) => [openCodeFolder(where)],
  findByKey: (where, key) => {
    const folder = openCodeFolder(where)
    return hasSession(join(folder, 'opencode.db'), key) ? openCodeLog(folder, key) : undefined
  },
  findCandidates: (where) => {
    const folder = openCodeFolder(where)
    const kept = where.folders.flatMap((one) => sessionsIn(join(folder, 'opencode.db'), one, where.startedAfter))
    return kept.map(({ id }) => openCodeLog(folder, id))
  },
}

/** The programs whose logs can be read, by the builtin provider they are of. */
export const LOG_FINDERS: ReadonlyMap<string, LogFinder> = new Map(
  Object.entries({ claude, codex, gemini, opencode, groq: opencode, cerebras: opencode }),
)
