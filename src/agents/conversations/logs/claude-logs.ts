import { existsSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { asNumber, asObject, asString, type JsonRecord, parseJson } from '../entries/json.ts'
import { ClaudeParser } from './claude.ts'
import { fileWrittenSince, isKey, jsonlHandle, type LogFinder, type LogHandle, type LogOrigin } from './finder.ts'
import { listNames, readHead } from './head.ts'
import { folderFromEnv, type LogSearch } from './search.ts'

const SIDE_FILE = /^agent-(.+)\.jsonl$/
const SIDE_FOLDER = 'subagents'
/** Sub-agents of a workflow have folders of their own in that of sub-agents. */
const MAX_NESTED_FOLDERS = 100
/** More programs do not run at a time. */
const MAX_PROCESS_FILES = 500

const configFolder = ({ env }: LogSearch): string => folderFromEnv(env, 'CLAUDE_CONFIG_DIR', '.claude')

/** Claude names a folder after the path of a project, with other characters replaced by dashes. */
const projects = (search: LogSearch): string[] => {
  const root = join(configFolder(search), 'projects')
  const slugs = search.folders.flatMap((folder) => [folder.replace(/[/.]/g, '-'), folder.replace(/[^A-Za-z0-9]/g, '-')])
  return [...new Set(slugs)].map((slug) => join(root, slug))
}

const mainLog = (path: string): LogHandle =>
  jsonlHandle(path, basename(path, '.jsonl'), () => new ClaudeParser(), originOf)

/** A sub-agent's log names its conversation by its folder, or in older versions by its records. */
const sideLog = (path: string, key: string): LogHandle =>
  jsonlHandle(
    path,
    key,
    () => new ClaudeParser({ sidechains: true }),
    (records) => {
      const [before, after] = path.split(`${sep}${SIDE_FOLDER}${sep}`)
      const named = records.map(({ sessionId }) => asString(sessionId)).find((id) => id !== undefined)
      return { ...originOf(records), parent: after === undefined ? (named ?? '') : basename(before ?? '') }
    },
  )

const logAt = (path: string): LogHandle => {
  const agent = SIDE_FILE.exec(basename(path))?.[1]
  return agent === undefined ? mainLog(path) : sideLog(path, agent)
}

function originOf(records: readonly JsonRecord[]): LogOrigin {
  const first = (field: string) => records.map((record) => asString(record[field])).find((text) => text !== undefined)
  return { folder: first('cwd'), isCommand: first('entrypoint')?.startsWith('sdk') ?? false }
}

/** The folders in a folder; a name without a dot, since logs have one. */
const nestedFolders = (folder: string): string[] =>
  listNames(folder)
    .filter((name) => !name.includes('.'))
    .slice(0, MAX_NESTED_FOLDERS)
    .map((name) => join(folder, name))

/** The logs of Claude Code. */
export const claudeLogs: LogFinder = {
  folders(search, keys) {
    const sides = projects(search)
      .filter((project) => existsSync(project))
      .flatMap((project) => keys.map((key) => join(project, key, SIDE_FOLDER)))
    const nested = sides.flatMap(nestedFolders)
    return [...projects(search), ...sides, ...nested, ...nested.flatMap(nestedFolders)]
  },
  handle: (path, key, isSide) => (isSide ? sideLog(path, key) : mainLog(path)),
  findByKey(search, key) {
    const path = projects(search)
      .map((folder) => join(folder, `${key}.jsonl`))
      .find((file) => isKey(key) && existsSync(file))
    return path === undefined ? undefined : mainLog(path)
  },
  writtenSince: (_, folder, changed, since) =>
    (changed === undefined ? listNames(folder) : [changed]).flatMap((name) => {
      const path = name.endsWith('.jsonl') ? fileWrittenSince(folder, name, since) : undefined
      return path === undefined ? [] : [logAt(path)]
    }),
  /** Each running program keeps a file, named after its process, of the conversation that it holds. */
  writers(search, key) {
    const folder = join(configFolder(search), 'sessions')
    const files = listNames(folder).filter((name) => /^\d+\.json$/.test(name))
    return files.slice(0, MAX_PROCESS_FILES).flatMap((name) => {
      const { pid, procStart, sessionId } = asObject(parseJson(readHead(join(folder, name), 16 * 1024)))
      const id = asNumber(pid)
      return sessionId === key && id !== undefined ? [{ pid: id, started: asString(procStart) }] : []
    })
  },
}

/** The folder of a conversation's sub-agents. */
export const sideFolderOf = ({ path }: Pick<LogHandle, 'path'>): string =>
  join(dirname(path), basename(path, '.jsonl'), SIDE_FOLDER)
