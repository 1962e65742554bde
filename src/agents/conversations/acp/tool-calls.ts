import { callBlock, resultBlock } from '../entries/blocks.ts'
import { isObject, items, type Json, object, present, shown, text } from '../entries/json.ts'
import { kindOf, type ToolCall } from '../entries/tool-kinds.ts'
import type { Block } from '../structured/blocks.ts'

/** What the protocol's kinds of tools are called elsewhere. */
const NAMES: Readonly<Record<string, string>> = {
  execute: 'bash',
  read: 'read',
  edit: 'edit',
  search: 'grep',
  fetch: 'webfetch',
}

/** A call of a tool as far as it was told: each update says what differs. */
export interface Told {
  readonly id: string
  /** What it was called first; later it may be called by what it does. */
  readonly first: string
  readonly fields: Json
}

/** A call after an update: what the update leaves out stays. */
export function updated(told: Told, update: Json): Told {
  const news = Object.entries(update).filter(([, value]) => value !== undefined && value !== null)
  return { ...told, fields: { ...told.fields, ...Object.fromEntries(news) } }
}

export const isOver = ({ fields }: Told): boolean => fields.status === 'completed' || fields.status === 'failed'

/** A call and, once it is over, what came of it. */
export function blocksOf(told: Told): Block[] {
  const { id, fields } = told
  const call = callOf(told)
  const use = callBlock(id, call)
  if (!isOver(told)) return [use]
  const output = object(fields.rawOutput)
  const noted = isObject(fields.rawOutput) ? { ...object(output.metadata), ...output } : fields.rawOutput
  return [use, resultBlock(id, call, { content: wordsOf(fields), isError: fields.status === 'failed', noted })]
}

function callOf({ first, fields }: Told): ToolCall {
  const kind = text(fields.kind) ?? 'other'
  const name = text(fields.name) ?? (kindOf(first) ? first : (NAMES[kind] ?? first))
  return { name, input: inputOf(fields) }
}

function inputOf(fields: Json): unknown {
  const input = fields.rawInput
  if (input !== undefined && !isObject(input)) return input
  const diff = items(fields.content)
    .map(object)
    .find(({ type }) => type === 'diff')
  const [place] = items(fields.locations).map(object)
  return present({
    path: text(place?.path),
    ...(diff && { file_path: text(diff.path), old_string: text(diff.oldText), new_string: text(diff.newText) }),
    ...object(input),
  })
}

/** The words that a call came to: its contents, else its output. */
function wordsOf({ content, rawOutput }: Json): string {
  const said = items(content)
    .map(object)
    .flatMap((one) => text(object(one.content).text) ?? [])
    .join('\n')
  if (said !== '') return said
  const output = object(rawOutput)
  return text(output.output) ?? text(output.error) ?? (rawOutput === undefined ? '' : shown(rawOutput))
}
