import {
  asArray,
  asObject,
  asString,
  asStrings,
  firstString,
  isObject,
  type JsonRecord,
  omitUndefined,
  stringify,
} from './json.ts'
import type { ToolInput } from './tool-input.ts'
import { kindOf, type ToolCall, type ToolKind } from './tool-kinds.ts'

const PATHS = ['file_path', 'filePath', 'absolute_path', 'notebook_path', 'path', 'dir_path']

/** The file that a call is about. */
export const fileOf = (input: unknown): string | undefined => firstString(asObject(input), ...PATHS)

/** The input of a tool call, in the wire shape that is common to all programs. */
export function toolInput({ name, input }: ToolCall): ToolInput {
  if (typeof input === 'string') return fromString(kindOf(name), input)
  if (!isObject(input)) return { kind: 'unknown' }
  const kind = kindOf(name)
  return kind ? INPUT_READERS[kind](input) : toArguments(input)
}

function fromString(kind: ToolKind | undefined, input: string): ToolInput {
  if (kind === 'patch') return { kind: 'patch', patch: input }
  if (kind === 'command') return { kind: 'command', command: input }
  if (kind === 'code') return { kind: 'code', code: input }
  return { kind: 'text', text: input }
}

const toArguments = (input: JsonRecord): ToolInput => ({ kind: 'arguments', arguments: argumentsOf(input) })

const argumentsOf = (input: JsonRecord, except: readonly string[] = []) =>
  Object.entries(input).flatMap(([name, value]) => (except.includes(name) ? [] : [{ name, value: stringify(value) }]))

/** The remaining arguments; undefined when there are none. */
function otherArguments(input: JsonRecord, ...except: readonly string[]) {
  const others = argumentsOf(input, except)
  return others.length > 0 ? others : undefined
}

const INPUT_READERS: Readonly<Record<ToolKind, (input: JsonRecord) => ToolInput>> = {
  command: (input) => {
    const command = commandOf(input)
    if (command === undefined) return toArguments(input)
    return omitUndefined({
      kind: 'command' as const,
      command,
      arguments: otherArguments(input, 'command', 'cmd', 'script', 'action'),
    })
  },
  stdin: (input) =>
    omitUndefined({
      kind: 'stdin' as const,
      text: firstString(input, 'chars', 'input', 'text'),
      task_id: taskIdOf(input),
    }),
  code: (input) => {
    const code = firstString(input, 'code', 'input')
    return code === undefined
      ? toArguments(input)
      : omitUndefined({ kind: 'code' as const, code, language: asString(input.language) })
  },
  patch: (input) => {
    const patch = firstString(input, 'patch', 'patchText', 'input', 'diff')
    return patch === undefined
      ? toArguments(input)
      : omitUndefined({ kind: 'patch' as const, patch, file_path: fileOf(input) })
  },
  edit: (input) => omitUndefined({ kind: 'patch' as const, patch: toPatch(input), file_path: fileOf(input) }),
  write: (input) =>
    omitUndefined({
      kind: 'write' as const,
      file_path: fileOf(input),
      text: firstString(input, 'content', 'file_text', 'text'),
    }),
  glob: (input) =>
    omitUndefined({
      kind: 'glob' as const,
      pattern: firstString(input, 'pattern', 'glob'),
      file_path: fileOf(input),
      arguments: otherArguments(input, 'pattern', 'glob', ...PATHS),
    }),
  grep: (input) =>
    omitUndefined({
      kind: 'search' as const,
      pattern: asString(input.pattern),
      query: asString(input.query),
      file_path: fileOf(input),
      arguments: otherArguments(input, 'pattern', 'query', ...PATHS),
    }),
  search: (input) => {
    const query = firstString(input, 'query', 'q') ?? asString(asObject(input.action).query)
    return omitUndefined({ kind: 'search' as const, query, arguments: otherArguments(input, 'query', 'q', 'action') })
  },
  fetch: (input) =>
    omitUndefined({ kind: 'fetch' as const, url: asString(input.url), prompt: firstString(input, 'prompt') }),
  file: (input) => {
    const file_path = fileOf(input)
    return file_path === undefined ? toArguments(input) : { kind: 'file', file_path }
  },
  todo: (input) => ({ kind: 'todo', todos: todosOf(input.todos) }),
  plan: (input) =>
    omitUndefined({
      kind: 'plan' as const,
      plan: typeof input.plan === 'string' ? asString(input.plan) : undefined,
      explanation: asString(input.explanation),
      steps: stepsOf(input.plan ?? input.steps),
    }),
  question: (input) => {
    const first = asObject(asArray(input.questions)[0] ?? input)
    const options = asArray(first.options).flatMap(
      (option) => firstString(asObject(option), 'label') ?? asString(option) ?? [],
    )
    return omitUndefined({
      kind: 'question' as const,
      question: asString(first.question),
      options: options.length > 0 ? options : undefined,
    })
  },
  task: (input) =>
    omitUndefined({
      kind: 'task' as const,
      description: asString(input.description),
      prompt: firstString(input, 'prompt', 'message'),
      task_type: firstString(input, 'subagent_type', 'agent', 'agent_type'),
      task_id: taskIdOf(input),
    }),
}

/** A command as one line; the arguments of a vector are joined. */
export function commandOf(input: JsonRecord): string | undefined {
  const command = input.command ?? input.cmd ?? input.script ?? asObject(input.action).command
  if (typeof command === 'string') return command
  const words = asStrings(command)
  if (!words) return undefined
  const [shell, option, line] = words
  const isShell = words.length === 3 && /(?:^|\/)(?:ba|z|da)?sh$/.test(shell ?? '') && /^-l?c$/.test(option ?? '')
  return isShell ? line : words.join(' ')
}

export const taskIdOf = (input: JsonRecord): string | undefined => {
  const id = input.task_id ?? input.shell_id ?? input.bash_id ?? input.session_id ?? input.agentId
  return id === undefined ? undefined : stringify(id)
}

/** The removed and added lines of an edit as a patch. */
function toPatch(input: JsonRecord): string {
  const edits = asArray(input.edits)
  const all = edits.length > 0 ? edits.map(asObject) : [input]
  return all
    .map((edit) => [...prefixLines('-', oldText(edit)), ...prefixLines('+', newText(edit))].join('\n'))
    .join('\n@@\n')
}

export const oldText = (edit: JsonRecord): string => firstString(edit, 'old_string', 'oldString', 'old_str') ?? ''
export const newText = (edit: JsonRecord): string =>
  firstString(edit, 'new_string', 'newString', 'new_str', 'new_source') ?? ''

const prefixLines = (sign: string, lines: string): string[] =>
  lines === '' ? [] : lines.split('\n').map((line) => sign + line)

export const todosOf = (value: unknown) =>
  asArray(value).map((item) => {
    const todo = asObject(item)
    return omitUndefined({
      id: asString(todo.id),
      content: firstString(todo, 'content', 'description', 'text'),
      active_form: firstString(todo, 'activeForm', 'active_form'),
      status: asString(todo.status),
      priority: asString(todo.priority),
    })
  })

export function stepsOf(value: unknown) {
  const steps = asArray(value).map((item) => {
    const step = asObject(item)
    return omitUndefined({
      step: firstString(step, 'step', 'content') ?? asString(item),
      status: asString(step.status),
    })
  })
  return steps.length > 0 ? steps : undefined
}
