import { basename, dirname, join } from 'node:path'
import type { SubAgent, SubAgents } from '../sessions/schema.ts'
import { Claude } from './claude.ts'
import type { LogReader } from './entry.ts'
import type { Found } from './families.ts'
import { headOf, namesIn } from './head.ts'
import { items, object, parsed, text, textOf } from './json.ts'
import { JsonlLog } from './jsonl-log.ts'
import { OpenCodeLog } from './opencode-db.ts'
import { standingOf } from './standing.ts'

type Mapping = SubAgents['agents'][number]

const BOUNDS = { window: 16 * 1024 * 1024, keep: 16 * 1024 * 1024 }

/** The agents that the agent of a log started: those with files beside it, and those that calls of it tell of. */
export function subAgentsOf(found: Found, reader: LogReader): Mapping[] {
  const beside = namesIn(folderOf(found)).flatMap((name) => {
    const id = /^agent-(.+)\.jsonl$/.exec(name)?.[1]
    return id === undefined ? [] : { agent_id: id, parent_tool_use_id: parentOf(join(folderOf(found), name)) }
  })
  return [...beside, ...childrenIn(reader)]
}

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
    const status = entries.length === 0 ? 'pending' : statusOf(log, runs)
    return { messages: entries.map(({ raw }) => raw), status }
  } finally {
    log.close()
  }
}

function open(found: Found, reader: LogReader, id: string): LogReader | undefined {
  const file = `agent-${id}.jsonl`
  if (namesIn(folderOf(found)).includes(file)) {
    return new JsonlLog(join(folderOf(found), file), () => new Claude({ sidechains: true }), BOUNDS)
  }
  const child = childrenIn(reader).some(({ agent_id }) => agent_id === id)
  return child ? new OpenCodeLog(found.path, id) : undefined
}

function statusOf(log: LogReader, runs: boolean): string {
  const { activity } = standingOf(log.view)
  if (activity === 'idle') return 'completed'
  return runs ? 'running' : 'failed'
}

const folderOf = ({ path }: Found): string => join(dirname(path), basename(path, '.jsonl'), 'subagents')

/** The call that started a sub-agent stands in one of its first lines. */
function parentOf(path: string): string {
  for (const line of headOf(path).split('\n').slice(0, 5)) {
    const said = object(parsed(line))
    const id = textOf(said, 'parentToolUseID', 'parent_tool_use_id', 'parentToolUseId', 'sourceToolUseID', 'toolUseID')
    if (id !== undefined) return id
  }
  return ''
}

/** Conversations of their own that calls of OpenCode began. */
const childrenIn = (reader: LogReader): Mapping[] =>
  reader.view.entries.flatMap(({ raw }) =>
    items(object(raw).parts).flatMap((item) => {
      const part = object(item)
      const id = text(object(object(part.state).metadata).sessionId)
      return id === undefined ? [] : { agent_id: id, parent_tool_use_id: text(part.callID) ?? '' }
    }),
  )
