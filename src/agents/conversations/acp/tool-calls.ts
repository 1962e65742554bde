import { toolResultBlock, toolUseBlock } from '../entries/blocks.ts'
import { asArray, asObject, asString, isObject, type JsonRecord, omitUndefined, stringify } from '../entries/json.ts'
import { kindOf, type ToolCall } from '../entries/tool-kinds.ts'
import type { Block } from '../structured/blocks.ts'

/** The tool names that the protocol's kinds of tools stand for. */
const NAMES_BY_KIND: Readonly<Record<string, string>> = {
  execute: 'bash',
  read: 'read',
  edit: 'edit',
  search: 'grep',
  fetch: 'webfetch',
}

/** The state of a tool call; each update of it contains only what changed. */
export interface ToolCallState {
  readonly id: string
  /** The title of the first update; a later title may describe what the call does. */
  readonly initialTitle: string
  readonly fields: JsonRecord
}

/** Applies an update to a call; fields that the update leaves out stay. */
export function applyUpdate(call: ToolCallState, update: JsonRecord): ToolCallState {
  const changes = Object.entries(update).filter(([, value]) => value !== undefined && value !== null)
  return { ...call, fields: { ...call.fields, ...Object.fromEntries(changes) } }
}

export const isFinished = ({ fields }: ToolCallState): boolean =>
  fields.status === 'completed' || fields.status === 'failed'

/** The block of a call and, once it is finished, that of its result. */
export function toBlocks(state: ToolCallState): Block[] {
  const { id, fields } = state
  const call = toToolCall(state)
  const use = toolUseBlock(id, call)
  if (!isFinished(state)) return [use]
  const output = asObject(fields.rawOutput)
  const details = isObject(fields.rawOutput) ? { ...asObject(output.metadata), ...output } : fields.rawOutput
  return [use, toolResultBlock(id, call, { content: outputText(fields), isError: fields.status === 'failed', details })]
}

function toToolCall({ initialTitle, fields }: ToolCallState): ToolCall {
  const kind = asString(fields.kind) ?? 'other'
  const fallback = kindOf(initialTitle) ? initialTitle : (NAMES_BY_KIND[kind] ?? initialTitle)
  return { name: asString(fields.name) ?? fallback, input: inputOf(fields) }
}

function inputOf(fields: JsonRecord): unknown {
  const input = fields.rawInput
  if (input !== undefined && !isObject(input)) return input
  const diff = asArray(fields.content)
    .map(asObject)
    .find(({ type }) => type === 'diff')
  const [location] = asArray(fields.locations).map(asObject)
  return omitUndefined({
    path: asString(location?.path),
    ...(diff && {
      file_path: asString(diff.path),
      old_string: asString(diff.oldText),
      new_string: asString(diff.newText),
    }),
    ...asObject(input),
  })
}

/** The text that a call returned: its content, else its raw output. */
function outputText({ content, rawOutput }: JsonRecord): string {
  const text = asArray(content)
    .map(asObject)
    .flatMap((part) => asString(asObject(part.content).text) ?? [])
    .join('\n')
  if (text !== '') return text
  const output = asObject(rawOutput)
  return asString(output.output) ?? asString(output.error) ?? (rawOutput === undefined ? '' : stringify(rawOutput))
}
