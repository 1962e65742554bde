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

/** A log that can be opened. */
export interface LogHandle {
  /** The program's own id of the conversation. */
  readonly key: string
  readonly path: string
  open(bounds: LogReaderOptions): LogReader
  /** The first prompt of the conversation. */
  firstPrompt(): string
}

/** Finds the logs of one kind of program. */
export interface LogFinder {
  /** The folders in which the log of a session would appear. */
  directories(search: LogSearch): string[]
  /** Finds the log of a conversation by its id. */
  findByKey(search: LogSearch, key: string): LogHandle | undefined
  /** Finds the logs of conversations that started in the session's folder since its start. */
  findCandidates(search: LogSearch): LogHandle[]
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

/** A key is part of file names, so it must not contain a path. */
const isKey = (key: string): boolean => /^[\w.-]+$/.test(key) && !key.includes('..')

/** Claude names a folder after the path of a project, with other characters replaced by dashes. */
const claudeProjects = ({ env, folders }: LogSearch): string[] => {
  const root = join(folderFromEnv(env, 'CLAUDE_CONFIG_DIR', '.claude'), 'projects')
  const slugs = folders.flatMap((folder) => [folder.replace(/[/.]/g, '-'), folder.replace(/[^A-Za-z0-9]/g, '-')])
  return [...new Set(slugs)].map((slug) => join(root, slug))
}

const claudeLog = (path: string): LogHandle => jsonlHandle(path, basename(path, '.jsonl'), () => new ClaudeParser())

const claude: LogFinder = {
  directories: claudeProjects,
  findByKey: (search, key) => {
    const path = claudeProjects(search)
      .map((folder) => join(folder, `${key}.jsonl`))
      .find((file) => isKey(key) && existsSync(file))
    return path === undefined ? undefined : claudeLog(path)
  },
  findCandidates: (search) =>
    claudeProjects(search).flatMap((folder) =>
      filesCreatedSince(folder, /\.jsonl$/, search.startedAfter).map(claudeLog),
    ),
}

const DAY = 86_400_000
const codexSessions = ({ env }: LogSearch): string => join(folderFromEnv(env, 'CODEX_HOME', '.codex'), 'sessions')

/** The folder of each day since a time, such as `2026/04/04`, newest first; in local time, as Codex names them. */
function daysSince(since: number, now: number): string[] {
  const days = new Set<string>()
  for (let time = now + DAY; time >= since - DAY && days.size < 400; time -= DAY) {
    const day = new Date(time)
    const padded = (n: number) => String(n).padStart(2, '0')
    days.add(join(String(day.getFullYear()), padded(day.getMonth() + 1), padded(day.getDate())))
  }
  return [...days]
}

const codexKey = (path: string): string => {
  const name = basename(path, '.jsonl')
  return /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.exec(name)?.[0] ?? name.replace(/^rollout-/, '')
}

const codexLog = (path: string): LogHandle => jsonlHandle(path, codexKey(path), () => new CodexParser(codexKey(path)))

/** The folders of days that have rollouts, newest first. */
const daysIn = (root: string): string[] =>
  listNames(root)
    .flatMap((year) => listNames(join(root, year)).map((month) => join(year, month)))
    .flatMap((month) => listNames(join(root, month)).map((day) => join(month, day)))
    .sort()
    .reverse()

const codex: LogFinder = {
  directories: (search) => daysSince(search.now, search.now).map((day) => join(codexSessions(search), day)),
  findByKey: (search, key) => {
    const root = codexSessions(search)
    if (!isKey(key)) return undefined
    for (const day of daysIn(root)) {
      const name = listNames(join(root, day)).find(
        (file) => file.startsWith('rollout-') && file.endsWith(`${key}.jsonl`),
      )
      if (name !== undefined) return codexLog(join(root, day, name))
    }
    return undefined
  },
  findCandidates: (search) => {
    const root = codexSessions(search)
    const files = daysIn(root)
      .slice(0, daysSince(search.startedAfter, search.now).length)
      .flatMap((day) => filesCreatedSince(join(root, day), /^rollout-.*\.jsonl$/, search.startedAfter))
    return files.filter((path) => search.folders.includes(codexWorkingFolder(path))).map(codexLog)
  },
}

/** The working folder that a rollout records. */
function codexWorkingFolder(path: string): string {
  const cwd = /"cwd":("(?:[^"\\]|\\.)*")/.exec(readHead(path, 64 * 1024))?.[1]
  return String(parseJson(cwd ?? '') ?? '')
}

/** The folders in which Gemini stores the chats of a project, under either of its naming schemes. */
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
  directories: (search) => [
    ...geminiChats(search),
    join(search.env.GEMINI_CLI_HOME || homeFolder(search.env), '.gemini'),
  ],
  findByKey: (search, key) => {
    const files = geminiChats(search).flatMap((folder) => filesCreatedSince(folder, GEMINI_CHAT, 0))
    const matching = files.filter((path) => basename(path).includes(key.slice(0, 8)) && geminiKey(path) === key)
    const path = matching.find((file) => file.endsWith('.jsonl')) ?? matching[0]
    return path === undefined ? undefined : geminiLog(path)
  },
  findCandidates: (search) =>
    geminiChats(search).flatMap((folder) => filesCreatedSince(folder, GEMINI_CHAT, search.startedAfter).map(geminiLog)),
}

const openCodeFolder = ({ env }: LogSearch): string =>
  join(folderFromEnv(env, 'XDG_DATA_HOME', '.local', 'share'), 'opencode')

const openCodeLog = (folder: string, key: string): LogHandle => {
  const path = join(folder, 'opencode.db')
  return { key, path, open: () => new OpenCodeLog(path, key), firstPrompt: () => firstKept(path, key) }
}

const opencode: LogFinder = {
  directories: (search) => [openCodeFolder(search)],
  findByKey: (search, key) => {
    const folder = openCodeFolder(search)
    return hasSession(join(folder, 'opencode.db'), key) ? openCodeLog(folder, key) : undefined
  },
  findCandidates: (search) => {
    const folder = openCodeFolder(search)
    const sessions = search.folders.flatMap((project) =>
      sessionsIn(join(folder, 'opencode.db'), project, search.startedAfter),
    )
    return sessions.map(({ id }) => openCodeLog(folder, id))
  },
}

/** The finders of all programs whose logs can be read, by built-in provider. */
export const LOG_FINDERS: ReadonlyMap<string, LogFinder> = new Map(
  Object.entries({ claude, codex, gemini, opencode, groq: opencode, cerebras: opencode }),
)
