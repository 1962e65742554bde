import { createHash } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { asArray, asObject, asString, type JsonRecord, parseJson } from '../entries/json.ts'
import { fileWrittenSince, jsonlHandle, type LogFinder, type LogHandle, type LogOrigin } from './finder.ts'
import { GeminiParser } from './gemini.ts'
import { createdAt, firstPrompt, listNames, readHead, sizeOf } from './head.ts'
import { JsonLog } from './json-log.ts'
import { homeFolder, type LogSearch } from './search.ts'

const CHATS = 'chats'
const CHAT = /^session-.*\.jsonl?$/
/** A sub-agent's chat is in a folder named after the conversation. */
const SIDE_CHAT = /\.jsonl?$/

const home = ({ env }: LogSearch): string => join(env.GEMINI_CLI_HOME || homeFolder(env), '.gemini')

/** The folders in which Gemini stores the chats of a project, under either of its naming schemes. */
function chatFolders(search: LogSearch): string[] {
  const root = home(search)
  const listed = asObject(asObject(parseJson(readHead(join(root, 'projects.json')))).projects)
  const names = search.folders.flatMap((folder) => {
    const hash = createHash('sha256').update(folder).digest('hex')
    return [asString(listed[folder]), hash].flatMap((name) => name ?? [])
  })
  return names.map((name) => join(root, 'tmp', name, CHATS))
}

const keyOf = (path: string): string =>
  String(parseJson(/"sessionId":\s*("(?:[^"\\]|\\.)*")/.exec(readHead(path, 64 * 1024))?.[1] ?? '') ?? '')

const isSide = (path: string): boolean => basename(dirname(path)) !== CHATS

function chat(path: string, key = keyOf(path)): LogHandle {
  const origin = (records: readonly JsonRecord[]): LogOrigin => ({
    folder: asString(asArray(records[0]?.directories)[0]),
    parent: isSide(path) ? basename(dirname(path)) : undefined,
    isCommand: false,
  })
  if (path.endsWith('.jsonl')) return jsonlHandle(path, key, () => new GeminiParser(), origin)
  return {
    key,
    path,
    open: () => new JsonLog(path, new GeminiParser()),
    firstPrompt: () => firstPrompt(path, new GeminiParser()),
    origin: () => origin([]),
    createdAt: () => createdAt(path),
    size: () => sizeOf(path),
  }
}

/** The chats of Gemini CLI. */
export const geminiLogs: LogFinder = {
  /** The list of projects tells where the chats will be. */
  folders: (search, keys) => [
    ...chatFolders(search).flatMap((folder) => [folder, ...keys.map((key) => join(folder, basename(key)))]),
    home(search),
  ],
  handle: (path, key) => chat(path, key),
  findByKey(search, key) {
    const files = chatFolders(search).flatMap((folder) =>
      listNames(folder)
        .filter((name) => CHAT.test(name) && name.includes(key.slice(0, 8)))
        .flatMap((name) => fileWrittenSince(folder, name, 0) ?? []),
    )
    const matching = files.filter((path) => keyOf(path) === key)
    const path = matching.find((file) => file.endsWith('.jsonl')) ?? matching[0]
    return path === undefined ? undefined : chat(path)
  },
  writtenSince(search, folder, changed, since) {
    if (folder === home(search)) return []
    const pattern = basename(folder) === CHATS ? CHAT : SIDE_CHAT
    return (changed === undefined ? listNames(folder) : [changed]).flatMap((name) => {
      const path = pattern.test(name) ? fileWrittenSince(folder, name, since) : undefined
      const key = path === undefined ? '' : keyOf(path)
      return path === undefined || key === '' ? [] : [chat(path, key)]
    })
  },
}
