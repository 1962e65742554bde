import type { Block } from './block.ts'
import {
  asArray,
  asBoolean,
  asInteger,
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
import type { ToolResult } from './tool-result.ts'

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

/** Computes a value when it is first needed, and returns the same one afterwards. */
export function lazy<T>(compute: () => T): () => T {
  let cached: { value: T } | undefined
  return () => {
    cached ??= { value: compute() }
    return cached.value
  }
}

export const textBlock = (text: string): Block => ({ type: 'text', text })

export const thinkingBlock = (thinking: string | undefined, signature?: string): Block =>
  omitUndefined({ type: 'thinking' as const, thinking, signature })

export const toolUseBlock = (id: string | undefined, call: ToolCall): Block =>
  omitUndefined({
    type: 'tool_use' as const,
    id,
    name: call.name,
    input: toolInput(call),
    file_path: fileOf(call.input),
  })

export const toolResultBlock = (id: string | undefined, call: ToolCall | undefined, outcome: ToolOutcome): Block =>
  omitUndefined({
    type: 'tool_result' as const,
    tool_call_id: id,
    name: call?.name,
    content: outcome.content,
    is_error: outcome.isError || undefined,
    structured: toolResult(call, outcome),
    file_path: fileOf(call?.input),
  })

/** An image by its URL; its bytes stay in the log. */
export function imageBlock(image: JsonRecord): Block {
  const source = asObject(image.source)
  return omitUndefined({
    type: 'image' as const,
    mime_type: asString(source.media_type) ?? asString(image.mime) ?? asString(image.mimeType),
    image_url: withoutDataUrl(asString(source.url) ?? asString(image.image_url) ?? asString(image.url)),
  })
}

const withoutDataUrl = (url: string | undefined): string | undefined => (url?.startsWith('data:') ? undefined : url)

/** The text of a content that is a string, or a list of blocks with text. */
export function plainText(content: unknown): string {
  if (typeof content === 'string') return content
  if (isObject(content)) return asString(content.text) ?? stringify(content)
  return asArray(content)
    .flatMap((item) => (typeof item === 'string' ? item : (asString(asObject(item).text) ?? [])))
    .join('\n')
}

/** The conversation format shows the beginning of a tool's result. */
const MAX_RESULT_BYTES = 500

/** The text of a turn in the conversation format; empty when there is nothing to show. */
export const turnText = (blocks: readonly Block[]): string =>
  blocks
    .map(blockText)
    .filter((part) => part !== '')
    .join('\n')

function blockText(block: Block): string {
  switch (block.type) {
    case 'text':
      return block.text ?? ''
    case 'thinking':
      return '[thinking]'
    case 'tool_use':
      return `[${block.name ?? 'tool'}]`
    case 'tool_result':
      return `[result] ${truncate(block.content ?? '')}`
    default:
      return ''
  }
}

/** Truncates text between characters. */
function truncate(text: string): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= MAX_RESULT_BYTES) return text
  const piece = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, MAX_RESULT_BYTES), {
    stream: true,
  })
  return `${piece}…`
}

/** The result of a tool call as its program logged it. */
interface ToolOutcome {
  /** The text that the model was shown. */
  readonly content: string
  readonly isError: boolean
  /** Logged details besides that text. */
  readonly details: unknown
}

type ResultReader = (outcome: ToolOutcome, details: JsonRecord, input: JsonRecord) => ToolResult

/** The result of a tool call, in the wire shape that is common to all programs. */
function toolResult(call: ToolCall | undefined, outcome: ToolOutcome): ToolResult {
  const kind = kindOf(call?.name) ?? guessKind(outcome.details)
  const details = asObject(outcome.details)
  const read = kind ? RESULT_READERS[kind] : textResult
  const result = read(outcome, details, asObject(call?.input))
  const error = errorOf(outcome, kind)
  return error ? { ...result, error } : result
}

const textResult: ResultReader = ({ content }) => ({ kind: 'text', text: content })

/** The kind of a tool by the logged details, when its call was not seen. */
function guessKind(details: unknown): ToolKind | undefined {
  if (!isObject(details)) return undefined
  if ('structuredPatch' in details || 'oldString' in details) return 'edit'
  if ('stdout' in details || 'exit_code' in details) return 'command'
  if ('newTodos' in details) return 'todo'
  return undefined
}

const RESULT_READERS: Readonly<Record<ToolKind, ResultReader>> = {
  command: ({ content }, details, input) => {
    const stdout = asString(details.stdout) ?? (isObject(details.metadata) || 'exit' in details ? content : undefined)
    return omitUndefined({
      kind: 'bash' as const,
      command: commandOf(input),
      content,
      stdout,
      stderr: asString(details.stderr),
      exit_code:
        asInteger(details.exit_code) ?? asInteger(details.exit) ?? asInteger(asObject(details.metadata).exit_code),
      interrupted: asBoolean(details.interrupted),
      truncated: asBoolean(details.truncated),
      is_image: asBoolean(details.isImage),
      num_lines: countLines(stdout ?? content),
      task_id: firstString(details, 'backgroundTaskId', 'shellId'),
    })
  },
  stdin: ({ content }, details, input) =>
    omitUndefined({
      kind: 'stdin' as const,
      content,
      task_id: taskIdOf(details) ?? taskIdOf(input),
      num_lines: countLines(content),
    }),
  code: ({ content, isError }, _, input) =>
    omitUndefined({
      kind: 'python' as const,
      code: asString(input.code),
      ...(isError ? { stderr: content } : { stdout: content }),
    }),
  patch: ({ content }, details, input) =>
    omitUndefined({
      kind: 'edit' as const,
      content,
      file_path: fileOf(details),
      file_paths: asStrings(details.files),
      patch: firstString(details, 'diff') ?? firstString(input, 'patch', 'patchText', 'input'),
    }),
  edit: ({ content }, details, input) => {
    const from = Object.keys(details).length > 0 ? { ...input, ...details } : input
    return omitUndefined({
      kind: 'edit' as const,
      content,
      file_path: fileOf(from),
      old_string: oldText(from) || undefined,
      new_string: newText(from) || undefined,
      original_file: asString(details.originalFile),
      patch: asString(details.diff),
      patch_hunks: hunksOf(details.structuredPatch),
      replace_all: asBoolean(from.replaceAll) ?? asBoolean(from.replace_all),
      user_modified: asBoolean(details.userModified),
    })
  },
  write: ({ content }, details, input) =>
    omitUndefined({
      kind: 'write' as const,
      content,
      file_path: fileOf(details) ?? fileOf(input),
      text: firstString(details, 'content') ?? firstString(input, 'content'),
      patch: asString(details.diff),
      patch_hunks: hunksOf(details.structuredPatch),
    }),
  glob: ({ content }, details) =>
    omitUndefined({
      kind: 'glob' as const,
      content,
      filenames: asStrings(details.filenames),
      num_files: asInteger(details.numFiles) ?? asInteger(details.count),
      duration_ms: asInteger(details.durationMs),
      truncated: asBoolean(details.truncated),
    }),
  grep: ({ content }, details, input) =>
    omitUndefined({
      kind: 'grep' as const,
      content,
      query: firstString(input, 'pattern', 'query'),
      mode: asString(details.mode),
      filenames: asStrings(details.filenames),
      num_files: asInteger(details.numFiles),
      num_lines: asInteger(details.numLines),
      num_results: asInteger(details.matches),
      applied_limit: asInteger(details.appliedLimit),
    }),
  search: ({ content }, details, input) =>
    omitUndefined({
      kind: 'search' as const,
      content,
      query: firstString(details, 'query') ?? firstString(input, 'query'),
      result_items: searchItemsOf(details.results),
      duration_ms: secondsToMs(details.durationSeconds),
    }),
  fetch: ({ content }, details, input) =>
    omitUndefined({
      kind: 'fetch' as const,
      content,
      url: firstString(details, 'url') ?? asString(input.url),
      status_code: asInteger(details.code),
      status_text: asString(details.codeText),
      bytes: asInteger(details.bytes),
      duration_ms: asInteger(details.durationMs),
    }),
  file: ({ content }, details, input) => {
    const file = asObject(details.file)
    return omitUndefined({
      kind: 'read' as const,
      content: asString(file.content) ?? content,
      file_path: fileOf(file) ?? fileOf(input),
      num_lines: asInteger(file.numLines),
      start_line: asInteger(file.startLine) ?? asInteger(input.offset),
      total_lines: asInteger(file.totalLines),
    })
  },
  todo: ({ content }, details, input) =>
    omitUndefined({
      kind: 'todo' as const,
      content,
      old_todos: 'oldTodos' in details ? todosOf(details.oldTodos) : undefined,
      new_todos: todosOf(details.newTodos ?? details.todos ?? input.todos),
    }),
  plan: ({ content }, details, input) =>
    omitUndefined({
      kind: 'plan' as const,
      content,
      plan: asString(details.plan) ?? asString(input.plan),
      explanation: asString(input.explanation),
      steps: stepsOf(input.plan ?? input.steps),
    }),
  question: ({ content }, details, input) =>
    omitUndefined({
      kind: 'question' as const,
      content,
      answers: answersOf(details.answers),
      questions: questionsOf(details.questions ?? input.questions),
    }),
  task: ({ content }, details, input) =>
    omitUndefined({
      kind: 'task' as const,
      content,
      description: asString(input.description),
      task_id: taskIdOf(details),
      task_type: firstString(input, 'subagent_type', 'agent'),
      task_status: asString(details.status),
      total_duration_ms: asInteger(details.totalDurationMs),
      total_tokens: asInteger(details.totalTokens),
      total_tool_use_count: asInteger(details.totalToolUseCount),
    }),
}

const countLines = (text: string): number | undefined =>
  text === '' ? undefined : text.replace(/\n$/, '').split('\n').length

const secondsToMs = (value: unknown): number | undefined =>
  typeof value === 'number' ? Math.round(value * 1000) : undefined

function hunksOf(value: unknown) {
  const hunks = asArray(value).map((item) => {
    const hunk = asObject(item)
    return omitUndefined({
      old_start: asInteger(hunk.oldStart),
      old_lines: asInteger(hunk.oldLines),
      new_start: asInteger(hunk.newStart),
      new_lines: asInteger(hunk.newLines),
      lines: asStrings(hunk.lines),
    })
  })
  return hunks.length > 0 ? hunks : undefined
}

function searchItemsOf(value: unknown) {
  const pages = asArray(value).flatMap((item) => [
    ...asArray(asObject(item).content),
    ...(asObject(item).url ? [item] : []),
  ])
  const results = pages.map((item) => {
    const page = asObject(item)
    return omitUndefined({ title: asString(page.title), url: asString(page.url), snippet: asString(page.snippet) })
  })
  return results.length > 0 ? results : undefined
}

const answersOf = (value: unknown) =>
  isObject(value) ? Object.entries(value).map(([name, answer]) => ({ name, value: stringify(answer) })) : undefined

function questionsOf(value: unknown) {
  const all = asArray(value).map((item) => {
    const question = asObject(item)
    const options = asArray(question.options).map((option) =>
      omitUndefined({ label: asString(asObject(option).label), description: asString(asObject(option).description) }),
    )
    return omitUndefined({
      question: asString(question.question),
      header: asString(question.header),
      multi_select: asBoolean(question.multiSelect) ?? asBoolean(question.multiple),
      options: options.length > 0 ? options : undefined,
    })
  })
  return all.length > 0 ? all : undefined
}

const REJECTED = /^(?:The user doesn't want to (?:proceed|take this action)|\[Request interrupted by user)/
const REASON = /the user said:\s*([\s\S]+)$/i

function errorOf({ content, isError, details }: ToolOutcome, kind: ToolKind | undefined): ToolResult['error'] {
  const exit =
    asInteger(asObject(details).exit_code) ??
    asInteger(asObject(details).exit) ??
    asInteger(asObject(asObject(details).metadata).exit_code)
  if (!isError && !exit) return undefined
  const message = content.slice(0, 2000)
  const reason = REASON.exec(content)?.[1]?.trim()
  if (REJECTED.test(content)) {
    return reason
      ? { category: 'user_rejection_with_reason', message, user_reason: reason }
      : { category: 'user_rejection', message }
  }
  return { category: categoryOf(content, kind), message }
}

function categoryOf(content: string, kind: ToolKind | undefined) {
  if (/timed? ?out/i.test(content)) return 'timeout'
  if (/InputValidationError|invalid (?:input|arguments|parameter)|is required/i.test(content)) return 'validation_error'
  if (kind === 'command' || kind === 'code' || kind === 'stdin') return 'command_failure'
  if (kind === 'fetch' || kind === 'search') return 'network_error'
  if (kind === 'file' || kind === 'write' || kind === 'edit' || kind === 'patch') return 'file_error'
  return 'unknown'
}
