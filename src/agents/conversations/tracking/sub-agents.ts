import { asObject, firstString, mapInSteps, parseJson, runInSteps } from '../../../programs/entries/index.ts'
import { statusOf } from '../../../programs/log-status.ts'
import {
  headRecords,
  type LogHandle,
  type LogReader,
  logId,
  readHead,
  type StartedAgent,
} from '../../../programs/logs/index.ts'
import type { SubAgent, SubAgents } from '../../../work/sessions/index.ts'

type SubAgentLink = SubAgents['agents'][number]

/** The logs of a session's conversation. */
export interface SubAgentLogs {
  readonly conversations: readonly LogHandle[]
  /** Those of its sub-agents, as far as they were found. */
  readonly sides: readonly LogHandle[]
}

const READER_OPTIONS = { windowBytes: 16 * 1024 * 1024, keepBytes: 16 * 1024 * 1024 }
/** Only the newest sub-agents are listed. */
const MAX_FILES = 1000

/** Lists the sub-agents of a conversation: those with logs of their own, and those that its calls refer to. */
export async function listSubAgents(logs: SubAgentLogs, reader: LogReader): Promise<SubAgentLink[]> {
  const sides = sidesOf(logs)
    .sort((a, b) => b.createdAt() - a.createdAt())
    .slice(0, MAX_FILES)
  const [conversation] = logs.conversations
  const started = conversation?.started?.(reader.snapshot.entries) ?? []
  const calls = new Map(started.map(({ agent, call }) => [agent, call]))
  const fromFiles = mapInSteps(sides, (side) => ({
    agent_id: side.key,
    parent_tool_use_id: parentCallId(side) ?? calls.get(side.key) ?? '',
  }))
  const found = await runInSteps(fromFiles)
  const known = new Set(found.map(({ agent_id }) => agent_id))
  const children = childrenOf(logs, reader).filter(({ agent }) => !known.has(agent))
  return [...found, ...children.map(({ agent, call }) => ({ agent_id: agent, parent_tool_use_id: call }))]
}

/** Reads the conversation of a sub-agent; undefined when it does not exist. */
export async function readSubAgent(
  logs: SubAgentLogs,
  reader: LogReader,
  id: string,
  isRunning: boolean,
): Promise<SubAgent | undefined> {
  const log = openSubAgent(logs, reader, id)
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

/** Opens the log of a sub-agent; undefined when it has none. */
export function openSubAgent(logs: SubAgentLogs, reader: LogReader, id: string): LogReader | undefined {
  const side = sidesOf(logs).find(({ key }) => key === id)
  if (side) return side.open(READER_OPTIONS)
  const isChild = childrenOf(logs, reader).some(({ agent }) => agent === id)
  return isChild ? logs.conversations[0]?.openChild?.(id) : undefined
}

function subAgentStatus(log: LogReader, isRunning: boolean): string {
  const { activity } = statusOf(log.snapshot)
  if (activity === 'idle') return 'completed'
  return isRunning ? 'running' : 'failed'
}

/** The logs that were found while the session ran, and those beside its conversations that were not. */
function sidesOf({ conversations, sides }: SubAgentLogs): LogHandle[] {
  const beside = conversations.flatMap((log) => log.sides?.() ?? [])
  return [...new Map([...beside, ...sides].map((log) => [logId(log), log])).values()]
}

/** The id of the call that started a sub-agent, as its log or the note beside it names it. */
function parentCallId({ path }: LogHandle): string | undefined {
  const note = asObject(parseJson(readHead(path.replace(/\.jsonl$/, '.meta.json'), 16 * 1024)))
  const records = [note, ...headRecords(path).slice(0, 5)]
  return records.map((record) => firstString(record, ...CALL_ID_FIELDS)).find((id) => id !== undefined)
}

const CALL_ID_FIELDS = [
  'parentToolUseID',
  'parent_tool_use_id',
  'parentToolUseId',
  'sourceToolUseID',
  'toolUseID',
  'toolUseId',
] as const

/** The sub-agents whose conversations are parts of the log of their session's. */
const childrenOf = ({ conversations: [conversation] }: SubAgentLogs, reader: LogReader): StartedAgent[] =>
  conversation?.children?.(reader.snapshot.entries) ?? []
