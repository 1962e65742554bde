import { basename, dirname, join } from 'node:path'
import type { SubAgent, SubAgents } from '../../sessions/schema.ts'
import { items, object, parsed, text, textOf } from '../entries/json.ts'
import type { LogReader } from '../entries/log-reader.ts'
import { inSlices, mapped } from '../entries/slices.ts'
import { statusOf } from '../entries/status.ts'
import { Claude } from './claude.ts'
import { isFile } from './files.ts'
import { headOf, madeSince } from './head.ts'
import { JsonlLog } from './jsonl-log.ts'
import { OpenCodeLog } from './opencode-db.ts'
import type { Found } from './program-logs.ts'

type Mapping = SubAgents['agents'][number]

const BOUNDS = { window: 16 * 1024 * 1024, keep: 16 * 1024 * 1024 }
/** At most so many files of sub-agents are listed, the newest. */
const MOST = 1000
/** The call that started a sub-agent stands in the first lines of its file, and within so many bytes. */
const HEAD = 16 * 1024

/** The agents that the agent of a log started: those with files beside it, and those that calls of it tell of. */
export async function subAgentsOf(found: Found, reader: LogReader): Promise<Mapping[]> {
  const files = madeSince(folderOf(found), FILE, 0).slice(0, MOST)
  const beside = mapped(files, (path) => ({ agent_id: idOf(path), parent_tool_use_id: parentOf(path) }))
  return [...(await inSlices(beside)), ...childrenIn(reader)]
}

const FILE = /^agent-.+\.jsonl$/
const idOf = (path: string): string => basename(path, '.jsonl').slice('agent-'.length)

/** Reads what a sub-agent said; undefined when there is none of that name. */
export async function subAgentOf(
  found: Found,
  reader: LogReader,
  id: string,
  runs: boolean,
): Promise<SubAgent | undefined> {
  const log = open(found, reader, id)
  if (!log) return undefined
  try {
    await log.refresh()
    const { entries } = log.view
    const status = entries.length === 0 ? 'pending' : subAgentStatus(log, runs)
    return { messages: entries.map(({ raw }) => raw), status }
  } finally {
    log.close()
  }
}

function open(found: Found, reader: LogReader, id: string): LogReader | undefined {
  const file = `agent-${id}.jsonl`
  const path = join(folderOf(found), file)
  if (basename(path) === file && isFile(path)) return new JsonlLog(path, () => new Claude({ sidechains: true }), BOUNDS)
  const child = childrenIn(reader).some(({ agent_id }) => agent_id === id)
  return child ? new OpenCodeLog(found.path, id) : undefined
}

function subAgentStatus(log: LogReader, runs: boolean): string {
  const { activity } = statusOf(log.view)
  if (activity === 'idle') return 'completed'
  return runs ? 'running' : 'failed'
}

const folderOf = ({ path }: Found): string => join(dirname(path), basename(path, '.jsonl'), 'subagents')

/** The call that started a sub-agent; empty when its file does not tell. */
function parentOf(path: string): string {
  const lines = headOf(path, HEAD).split('\n').slice(0, 5)
  const ids = lines.map((line) => textOf(object(parsed(line)), ...CALL))
  return ids.find((id) => id !== undefined) ?? ''
}

const CALL = ['parentToolUseID', 'parent_tool_use_id', 'parentToolUseId', 'sourceToolUseID', 'toolUseID'] as const

/** Conversations of their own that calls of OpenCode began. */
const childrenIn = (reader: LogReader): Mapping[] =>
  reader.view.entries.flatMap(({ raw }) =>
    items(object(raw).parts).flatMap((item) => {
      const part = object(item)
      const id = text(object(object(part.state).metadata).sessionId)
      return id === undefined ? [] : { agent_id: id, parent_tool_use_id: text(part.callID) ?? '' }
    }),
  )
