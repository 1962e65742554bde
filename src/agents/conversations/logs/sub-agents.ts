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
/** At most so many files of sub-agents are listed, the newest. */
const MAX_FILES = 1000
/** The call that started a sub-agent stands in the first lines of its file, and within so many bytes. */
const HEAD_BYTES = 16 * 1024

/** The agents that the agent of a log started: those with files beside it, and those that calls of it tell of. */
export async function listSubAgents(found: LogHandle, reader: LogReader): Promise<SubAgentLink[]> {
  const files = filesCreatedSince(folderOf(found), FILE_NAME, 0).slice(0, MAX_FILES)
  const beside = mapInSteps(files, (path) => ({ agent_id: idOf(path), parent_tool_use_id: parentCallId(path) }))
  return [...(await runInSteps(beside)), ...childSessions(reader)]
}

const FILE_NAME = /^agent-.+\.jsonl$/
const idOf = (path: string): string => basename(path, '.jsonl').slice('agent-'.length)

/** Reads what a sub-agent said; undefined when there is none of that name. */
export async function readSubAgent(
  found: LogHandle,
  reader: LogReader,
  id: string,
  runs: boolean,
): Promise<SubAgent | undefined> {
  const log = openLog(found, reader, id)
  if (!log) return undefined
  try {
    await log.refresh()
    const { entries } = log.snapshot
    const status = entries.length === 0 ? 'pending' : subAgentStatus(log, runs)
    return { messages: entries.map(({ raw }) => raw), status }
  } finally {
    log.close()
  }
}

function openLog(found: LogHandle, reader: LogReader, id: string): LogReader | undefined {
  const file = `agent-${id}.jsonl`
  const path = join(folderOf(found), file)
  if (basename(path) === file && isFile(path))
    return new JsonlLog(path, () => new ClaudeParser({ sidechains: true }), READER_OPTIONS)
  const child = childSessions(reader).some(({ agent_id }) => agent_id === id)
  return child ? new OpenCodeLog(found.path, id) : undefined
}

function subAgentStatus(log: LogReader, runs: boolean): string {
  const { activity } = statusOf(log.snapshot)
  if (activity === 'idle') return 'completed'
  return runs ? 'running' : 'failed'
}

const folderOf = ({ path }: LogHandle): string => join(dirname(path), basename(path, '.jsonl'), 'subagents')

/** The call that started a sub-agent; empty when its file does not tell. */
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

/** Conversations of their own that calls of OpenCode began. */
const childSessions = (reader: LogReader): SubAgentLink[] =>
  reader.snapshot.entries.flatMap(({ raw }) =>
    asArray(asObject(raw).parts).flatMap((item) => {
      const part = asObject(item)
      const id = asString(asObject(asObject(part.state).metadata).sessionId)
      return id === undefined ? [] : { agent_id: id, parent_tool_use_id: asString(part.callID) ?? '' }
    }),
  )
