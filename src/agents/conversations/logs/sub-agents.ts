import { basename, dirname, join } from 'node:path'
import type { SubAgent, SubAgents } from '../../sessions/schema.ts'
import { asArray, asObject, asString, firstString, parseJson } from '../entries/json.ts'
import type { LogReader } from '../entries/log-reader.ts'
import { statusOf } from '../entries/status.ts'
import { mapInSteps, runInSteps } from '../entries/steps.ts'
import { ClaudeParser } from './claude.ts'
import { isFile } from './files.ts'
import { filesCreatedSince, readHead } from './head.ts'
import { JsonlLog } from './jsonl-log.ts'
import type { LogHandle } from './log-finders.ts'
import { OpenCodeLog } from './opencode-db.ts'

type SubAgentLink = SubAgents['agents'][number]

const READER_OPTIONS = { windowBytes: 16 * 1024 * 1024, keepBytes: 16 * 1024 * 1024 }
/** Only the newest sub-agents are listed. */
const MAX_FILES = 1000
/** The call that started a sub-agent is named in the first lines of its file. */
const HEAD_BYTES = 16 * 1024

/** Lists the sub-agents of a log: those with files beside it, and those that its calls refer to. */
export async function listSubAgents(handle: LogHandle, reader: LogReader): Promise<SubAgentLink[]> {
  const files = filesCreatedSince(folderOf(handle), FILE_NAME, 0).slice(0, MAX_FILES)
  const fromFiles = mapInSteps(files, (path) => ({ agent_id: idOf(path), parent_tool_use_id: parentCallId(path) }))
  return [...(await runInSteps(fromFiles)), ...childSessions(reader)]
}

const FILE_NAME = /^agent-.+\.jsonl$/
const idOf = (path: string): string => basename(path, '.jsonl').slice('agent-'.length)

/** Reads the conversation of a sub-agent; undefined when it does not exist. */
export async function readSubAgent(
  handle: LogHandle,
  reader: LogReader,
  id: string,
  isRunning: boolean,
): Promise<SubAgent | undefined> {
  const log = openLog(handle, reader, id)
  if (!log) return undefined
  try {
    await log.refresh()
    const { entries } = log.snapshot
    const status = entries.length === 0 ? 'pending' : subAgentStatus(log, isRunning)
    return { messages: entries.map(({ raw }) => raw), status }
  } finally {
    log.close()
  }
}

function openLog(handle: LogHandle, reader: LogReader, id: string): LogReader | undefined {
  const file = `agent-${id}.jsonl`
  const path = join(folderOf(handle), file)
  if (basename(path) === file && isFile(path))
    return new JsonlLog(path, () => new ClaudeParser({ sidechains: true }), READER_OPTIONS)
  const isChild = childSessions(reader).some(({ agent_id }) => agent_id === id)
  return isChild ? new OpenCodeLog(handle.path, id) : undefined
}

function subAgentStatus(log: LogReader, isRunning: boolean): string {
  const { activity } = statusOf(log.snapshot)
  if (activity === 'idle') return 'completed'
  return isRunning ? 'running' : 'failed'
}

const folderOf = ({ path }: LogHandle): string => join(dirname(path), basename(path, '.jsonl'), 'subagents')

/** The id of the call that started a sub-agent; empty when its file does not name it. */
function parentCallId(path: string): string {
  const lines = readHead(path, HEAD_BYTES).split('\n').slice(0, 5)
  const ids = lines.map((line) => firstString(asObject(parseJson(line)), ...CALL_ID_FIELDS))
  return ids.find((id) => id !== undefined) ?? ''
}

const CALL_ID_FIELDS = [
  'parentToolUseID',
  'parent_tool_use_id',
  'parentToolUseId',
  'sourceToolUseID',
  'toolUseID',
] as const

/** The conversations that calls of OpenCode started. */
const childSessions = (reader: LogReader): SubAgentLink[] =>
  reader.snapshot.entries.flatMap(({ raw }) =>
    asArray(asObject(raw).parts).flatMap((item) => {
      const part = asObject(item)
      const id = asString(asObject(asObject(part.state).metadata).sessionId)
      return id === undefined ? [] : { agent_id: id, parent_tool_use_id: asString(part.callID) ?? '' }
    }),
  )
