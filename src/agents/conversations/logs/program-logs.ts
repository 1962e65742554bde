import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { object, parsed, text } from '../entries/json.ts'
import type { LogReader } from '../entries/log-reader.ts'
import { Claude } from './claude.ts'
import { Codex } from './codex.ts'
import { Gemini } from './gemini.ts'
import { firstWords, headOf, madeSince, namesIn } from './head.ts'
import { JsonLog } from './json-log.ts'
import { type Bounds, JsonlLog } from './jsonl-log.ts'
import { firstWords as firstKept, keepsSession, keptIn, OpenCodeLog } from './opencode-db.ts'
import { below, homeOf, type Whereabouts } from './search.ts'

/** A log that was found. */
export interface Found {
  /** What its program calls the conversation. */
  readonly key: string
  readonly path: string
  open(bounds: Bounds): LogReader
  /** What its program was told first. */
  firstWords(): string
}

/** Where programs of one kind keep their logs. */
export interface Family {
  /** Folders in which a log of such a session would appear. */
  places(where: Whereabouts): string[]
  /** The log of a conversation whose name is known. */
  keyed(where: Whereabouts, key: string): Found | undefined
  /** Logs that may be such a session's: of its folder, and begun since it was. */
  begun(where: Whereabouts): Found[]
}

const jsonl = (path: string, key: string, grammar: () => Claude | Codex | Gemini): Found => ({
  key,
  path,
  open: (bounds) => new JsonlLog(path, grammar, bounds),
  firstWords: () => firstWords(path, grammar()),
})

/** A key stands in names of files, and so has to look like one. */
const isKey = (key: string): boolean => /^[\w.-]+$/.test(key) && !key.includes('..')

/** Claude names a folder after a path in which only letters and digits are left. */
const projects = ({ env, folders }: Whereabouts): string[] => {
  const root = join(below(env, 'CLAUDE_CONFIG_DIR', '.claude'), 'projects')
  const slugs = folders.flatMap((folder) => [folder.replace(/[/.]/g, '-'), folder.replace(/[^A-Za-z0-9]/g, '-')])
  return [...new Set(slugs)].map((slug) => join(root, slug))
}

const claudeLog = (path: string): Found => jsonl(path, basename(path, '.jsonl'), () => new Claude())

const claude: Family = {
  places: projects,
  keyed: (where, key) => {
    const path = projects(where)
      .map((folder) => join(folder, `${key}.jsonl`))
      .find((file) => isKey(key) && existsSync(file))
    return path === undefined ? undefined : claudeLog(path)
  },
  begun: (where) => projects(where).flatMap((folder) => madeSince(folder, /\.jsonl$/, where.since).map(claudeLog)),
}

const DAY = 86_400_000
const rollouts = ({ env }: Whereabouts): string => join(below(env, 'CODEX_HOME', '.codex'), 'sessions')

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

const keyOfRollout = (path: string): string => {
  const name = basename(path, '.jsonl')
  return /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.exec(name)?.[0] ?? name.replace(/^rollout-/, '')
}

const codexLog = (path: string): Found => jsonl(path, keyOfRollout(path), () => new Codex(keyOfRollout(path)))

/** The days on which there are rollouts, newest first. */
const daysIn = (root: string): string[] =>
  namesIn(root)
    .flatMap((year) => namesIn(join(root, year)).map((month) => join(year, month)))
    .flatMap((month) => namesIn(join(root, month)).map((day) => join(month, day)))
    .sort()
    .reverse()

const codex: Family = {
  places: (where) => daysSince(where.now, where.now).map((day) => join(rollouts(where), day)),
  keyed: (where, key) => {
    const root = rollouts(where)
    if (!isKey(key)) return undefined
    for (const day of daysIn(root)) {
      const name = namesIn(join(root, day)).find((file) => file.startsWith('rollout-') && file.endsWith(`${key}.jsonl`))
      if (name !== undefined) return codexLog(join(root, day, name))
    }
    return undefined
  },
  begun: (where) => {
    const root = rollouts(where)
    const files = daysIn(root)
      .slice(0, daysSince(where.since, where.now).length)
      .flatMap((day) => madeSince(join(root, day), /^rollout-.*\.jsonl$/, where.since))
    return files.filter((path) => where.folders.includes(folderOf(path))).map(codexLog)
  },
}

/** The folder a rollout says it was begun in. */
function folderOf(path: string): string {
  const said = /"cwd":("(?:[^"\\]|\\.)*")/.exec(headOf(path, 64 * 1024))?.[1]
  return String(parsed(said ?? '') ?? '')
}

/** The folders in which Gemini keeps the chats of a project, whichever way it names them. */
function chats({ env, folders }: Whereabouts): string[] {
  const root = join(env.GEMINI_CLI_HOME || homeOf(env), '.gemini')
  const listed = object(object(parsed(headOf(join(root, 'projects.json')))).projects)
  const names = folders.flatMap((folder) => {
    const hash = createHash('sha256').update(folder).digest('hex')
    return [text(listed[folder]), hash].flatMap((name) => name ?? [])
  })
  return names.map((name) => join(root, 'tmp', name, 'chats'))
}

const keyOfChat = (path: string): string =>
  String(parsed(/"sessionId":\s*("(?:[^"\\]|\\.)*")/.exec(headOf(path, 64 * 1024))?.[1] ?? '') ?? '')

function geminiLog(path: string): Found {
  if (path.endsWith('.jsonl')) return jsonl(path, keyOfChat(path), () => new Gemini())
  return {
    key: keyOfChat(path),
    path,
    open: () => new JsonLog(path, new Gemini()),
    firstWords: () => firstWords(path, new Gemini()),
  }
}

const CHAT = /^session-.*\.jsonl?$/

const gemini: Family = {
  places: (where) => [...chats(where), join(where.env.GEMINI_CLI_HOME || homeOf(where.env), '.gemini')],
  keyed: (where, key) => {
    const files = chats(where).flatMap((folder) => madeSince(folder, CHAT, 0))
    const own = files.filter((path) => basename(path).includes(key.slice(0, 8)) && keyOfChat(path) === key)
    const path = own.find((file) => file.endsWith('.jsonl')) ?? own[0]
    return path === undefined ? undefined : geminiLog(path)
  },
  begun: (where) => chats(where).flatMap((folder) => madeSince(folder, CHAT, where.since).map(geminiLog)),
}

const database = ({ env }: Whereabouts): string => join(below(env, 'XDG_DATA_HOME', '.local', 'share'), 'opencode')

const openCodeLog = (folder: string, key: string): Found => {
  const path = join(folder, 'opencode.db')
  return { key, path, open: () => new OpenCodeLog(path, key), firstWords: () => firstKept(path, key) }
}

const opencode: Family = {
  places: (where) => [database(where)],
  keyed: (where, key) => {
    const folder = database(where)
    return keepsSession(join(folder, 'opencode.db'), key) ? openCodeLog(folder, key) : undefined
  },
  begun: (where) => {
    const folder = database(where)
    const kept = where.folders.flatMap((one) => keptIn(join(folder, 'opencode.db'), one, where.since))
    return kept.map(({ id }) => openCodeLog(folder, id))
  },
}

/** The programs whose logs can be read, by the builtin provider they are of. */
export const FAMILIES: ReadonlyMap<string, Family> = new Map(
  Object.entries({ claude, codex, gemini, opencode, groq: opencode, cerebras: opencode }),
)
