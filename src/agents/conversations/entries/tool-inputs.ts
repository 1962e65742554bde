import type { ToolInput } from '../structured/tool-input.ts'
import { isObject, items, type Json, object, present, shown, text, textOf, texts } from './json.ts'
import { kindOf, type ToolCall, type ToolKind } from './tool-kinds.ts'

const PATHS = ['file_path', 'filePath', 'absolute_path', 'notebook_path', 'path', 'dir_path']

/** The file that a call is about. */
export const fileOf = (input: unknown): string | undefined => textOf(object(input), ...PATHS)

/** What a tool was given, in the words that are the same for every program. */
export function toolInput({ name, input }: ToolCall): ToolInput {
  if (typeof input === 'string') return ofText(kindOf(name), input)
  if (!isObject(input)) return { kind: 'unknown' }
  const kind = kindOf(name)
  return kind ? READ[kind](input) : named(input)
}

function ofText(kind: ToolKind | undefined, input: string): ToolInput {
  if (kind === 'patch') return { kind: 'patch', patch: input }
  if (kind === 'command') return { kind: 'command', command: input }
  if (kind === 'code') return { kind: 'code', code: input }
  return { kind: 'text', text: input }
}

const named = (input: Json): ToolInput => ({ kind: 'arguments', arguments: argumentsOf(input) })

const argumentsOf = (input: Json, except: readonly string[] = []) =>
  Object.entries(input).flatMap(([name, value]) => (except.includes(name) ? [] : [{ name, value: shown(value) }]))

/** Further arguments; undefined when there are none. */
function rest(input: Json, ...except: readonly string[]) {
  const found = argumentsOf(input, except)
  return found.length > 0 ? found : undefined
}

const READ: Readonly<Record<ToolKind, (input: Json) => ToolInput>> = {
  command: (input) => {
    const command = commandOf(input)
    if (command === undefined) return named(input)
    return present({ kind: 'command' as const, command, arguments: rest(input, 'command', 'cmd', 'script', 'action') })
  },
  stdin: (input) =>
    present({ kind: 'stdin' as const, text: textOf(input, 'chars', 'input', 'text'), task_id: taskOf(input) }),
  code: (input) => {
    const code = textOf(input, 'code', 'input')
    return code === undefined ? named(input) : present({ kind: 'code' as const, code, language: text(input.language) })
  },
  patch: (input) => {
    const patch = textOf(input, 'patch', 'patchText', 'input', 'diff')
    return patch === undefined ? named(input) : present({ kind: 'patch' as const, patch, file_path: fileOf(input) })
  },
  edit: (input) => present({ kind: 'patch' as const, patch: editsOf(input), file_path: fileOf(input) }),
  write: (input) =>
    present({ kind: 'write' as const, file_path: fileOf(input), text: textOf(input, 'content', 'file_text', 'text') }),
  glob: (input) =>
    present({
      kind: 'glob' as const,
      pattern: textOf(input, 'pattern', 'glob'),
      file_path: fileOf(input),
      arguments: rest(input, 'pattern', 'glob', ...PATHS),
    }),
  grep: (input) =>
    present({
      kind: 'search' as const,
      pattern: text(input.pattern),
      query: text(input.query),
      file_path: fileOf(input),
      arguments: rest(input, 'pattern', 'query', ...PATHS),
    }),
  search: (input) => {
    const query = textOf(input, 'query', 'q') ?? text(object(input.action).query)
    return present({ kind: 'search' as const, query, arguments: rest(input, 'query', 'q', 'action') })
  },
  fetch: (input) => present({ kind: 'fetch' as const, url: text(input.url), prompt: textOf(input, 'prompt') }),
  file: (input) => {
    const file_path = fileOf(input)
    return file_path === undefined ? named(input) : { kind: 'file', file_path }
  },
  todo: (input) => ({ kind: 'todo', todos: todosOf(input.todos) }),
  plan: (input) =>
    present({
      kind: 'plan' as const,
      plan: typeof input.plan === 'string' ? text(input.plan) : undefined,
      explanation: text(input.explanation),
      steps: stepsOf(input.plan ?? input.steps),
    }),
  question: (input) => {
    const first = object(items(input.questions)[0] ?? input)
    const options = items(first.options).flatMap((option) => textOf(object(option), 'label') ?? text(option) ?? [])
    return present({
      kind: 'question' as const,
      question: text(first.question),
      options: options.length > 0 ? options : undefined,
    })
  },
  task: (input) =>
    present({
      kind: 'task' as const,
      description: text(input.description),
      prompt: textOf(input, 'prompt', 'message'),
      task_type: textOf(input, 'subagent_type', 'agent', 'agent_type'),
      task_id: taskOf(input),
    }),
}

/** A command as one line; words of a vector are put behind each other. */
export function commandOf(input: Json): string | undefined {
  const said = input.command ?? input.cmd ?? input.script ?? object(input.action).command
  if (typeof said === 'string') return said
  const words = texts(said)
  if (!words) return undefined
  const [shell, option, line] = words
  const isShell = words.length === 3 && /(?:^|\/)(?:ba|z|da)?sh$/.test(shell ?? '') && /^-l?c$/.test(option ?? '')
  return isShell ? line : words.join(' ')
}

export const taskOf = (input: Json): string | undefined => {
  const id = input.task_id ?? input.shell_id ?? input.bash_id ?? input.session_id ?? input.agentId
  return id === undefined ? undefined : shown(id)
}

/** What an edit takes away and puts in, as a patch. */
function editsOf(input: Json): string {
  const edits = items(input.edits)
  const all = edits.length > 0 ? edits.map(object) : [input]
  return all.map((edit) => [...signed('-', before(edit)), ...signed('+', after(edit))].join('\n')).join('\n@@\n')
}

export const before = (edit: Json): string => textOf(edit, 'old_string', 'oldString', 'old_str') ?? ''
export const after = (edit: Json): string => textOf(edit, 'new_string', 'newString', 'new_str', 'new_source') ?? ''

const signed = (sign: string, lines: string): string[] =>
  lines === '' ? [] : lines.split('\n').map((line) => sign + line)

export const todosOf = (value: unknown) =>
  items(value).map((item) => {
    const todo = object(item)
    return present({
      id: text(todo.id),
      content: textOf(todo, 'content', 'description', 'text'),
      active_form: textOf(todo, 'activeForm', 'active_form'),
      status: text(todo.status),
      priority: text(todo.priority),
    })
  })

export function stepsOf(value: unknown) {
  const steps = items(value).map((item) => {
    const step = object(item)
    return present({ step: textOf(step, 'step', 'content') ?? text(item), status: text(step.status) })
  })
  return steps.length > 0 ? steps : undefined
}
