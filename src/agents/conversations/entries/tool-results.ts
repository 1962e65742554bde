import type { ToolResult } from '../structured/tool-result.ts'
import { flag, isObject, items, type Json, object, present, shown, text, textOf, texts, whole } from './json.ts'
import { after, before, commandOf, fileOf, stepsOf, taskOf, todosOf } from './tool-inputs.ts'
import { kindOf, type ToolCall, type ToolKind } from './tool-kinds.ts'

/** What came back from a tool. */
export interface Outcome {
  /** The words that the model was shown. */
  readonly content: string
  readonly isError: boolean
  /** What the program noted for itself beside those words. */
  readonly noted: unknown
}

type Read = (outcome: Outcome, noted: Json, input: Json) => ToolResult

/** What came back from a tool, in the words that are the same for every program. */
export function toolResult(call: ToolCall | undefined, outcome: Outcome): ToolResult {
  const kind = kindOf(call?.name) ?? guessed(outcome.noted)
  const noted = object(outcome.noted)
  const read = kind ? READ[kind] : plain
  const result = read(outcome, noted, object(call?.input))
  const error = errorOf(outcome, kind)
  return error ? { ...result, error } : result
}

const plain: Read = ({ content }) => ({ kind: 'text', text: content })

/** What the notes tell of a tool whose call was not seen. */
function guessed(noted: unknown): ToolKind | undefined {
  if (!isObject(noted)) return undefined
  if ('structuredPatch' in noted || 'oldString' in noted) return 'edit'
  if ('stdout' in noted || 'exit_code' in noted) return 'command'
  if ('newTodos' in noted) return 'todo'
  return undefined
}

const READ: Readonly<Record<ToolKind, Read>> = {
  command: ({ content }, noted, input) => {
    const stdout = text(noted.stdout) ?? (isObject(noted.metadata) || 'exit' in noted ? content : undefined)
    return present({
      kind: 'bash' as const,
      command: commandOf(input),
      content,
      stdout,
      stderr: text(noted.stderr),
      exit_code: whole(noted.exit_code) ?? whole(noted.exit) ?? whole(object(noted.metadata).exit_code),
      interrupted: flag(noted.interrupted),
      truncated: flag(noted.truncated),
      is_image: flag(noted.isImage),
      num_lines: linesOf(stdout ?? content),
      task_id: textOf(noted, 'backgroundTaskId', 'shellId'),
    })
  },
  stdin: ({ content }, noted, input) =>
    present({ kind: 'stdin' as const, content, task_id: taskOf(noted) ?? taskOf(input), num_lines: linesOf(content) }),
  code: ({ content, isError }, _, input) =>
    present({
      kind: 'python' as const,
      code: text(input.code),
      ...(isError ? { stderr: content } : { stdout: content }),
    }),
  patch: ({ content }, noted, input) =>
    present({
      kind: 'edit' as const,
      content,
      file_path: fileOf(noted),
      file_paths: texts(noted.files),
      patch: textOf(noted, 'diff') ?? textOf(input, 'patch', 'patchText', 'input'),
    }),
  edit: ({ content }, noted, input) => {
    const from = Object.keys(noted).length > 0 ? { ...input, ...noted } : input
    return present({
      kind: 'edit' as const,
      content,
      file_path: fileOf(from),
      old_string: before(from) || undefined,
      new_string: after(from) || undefined,
      original_file: text(noted.originalFile),
      patch: text(noted.diff),
      patch_hunks: hunksOf(noted.structuredPatch),
      replace_all: flag(from.replaceAll) ?? flag(from.replace_all),
      user_modified: flag(noted.userModified),
    })
  },
  write: ({ content }, noted, input) =>
    present({
      kind: 'write' as const,
      content,
      file_path: fileOf(noted) ?? fileOf(input),
      text: textOf(noted, 'content') ?? textOf(input, 'content'),
      patch: text(noted.diff),
      patch_hunks: hunksOf(noted.structuredPatch),
    }),
  glob: ({ content }, noted) =>
    present({
      kind: 'glob' as const,
      content,
      filenames: texts(noted.filenames),
      num_files: whole(noted.numFiles) ?? whole(noted.count),
      duration_ms: whole(noted.durationMs),
      truncated: flag(noted.truncated),
    }),
  grep: ({ content }, noted, input) =>
    present({
      kind: 'grep' as const,
      content,
      query: textOf(input, 'pattern', 'query'),
      mode: text(noted.mode),
      filenames: texts(noted.filenames),
      num_files: whole(noted.numFiles),
      num_lines: whole(noted.numLines),
      num_results: whole(noted.matches),
      applied_limit: whole(noted.appliedLimit),
    }),
  search: ({ content }, noted, input) =>
    present({
      kind: 'search' as const,
      content,
      query: textOf(noted, 'query') ?? textOf(input, 'query'),
      result_items: foundOf(noted.results),
      duration_ms: seconds(noted.durationSeconds),
    }),
  fetch: ({ content }, noted, input) =>
    present({
      kind: 'fetch' as const,
      content,
      url: textOf(noted, 'url') ?? text(input.url),
      status_code: whole(noted.code),
      status_text: text(noted.codeText),
      bytes: whole(noted.bytes),
      duration_ms: whole(noted.durationMs),
    }),
  file: ({ content }, noted, input) => {
    const file = object(noted.file)
    return present({
      kind: 'read' as const,
      content: text(file.content) ?? content,
      file_path: fileOf(file) ?? fileOf(input),
      num_lines: whole(file.numLines),
      start_line: whole(file.startLine) ?? whole(input.offset),
      total_lines: whole(file.totalLines),
    })
  },
  todo: ({ content }, noted, input) =>
    present({
      kind: 'todo' as const,
      content,
      old_todos: 'oldTodos' in noted ? todosOf(noted.oldTodos) : undefined,
      new_todos: todosOf(noted.newTodos ?? noted.todos ?? input.todos),
    }),
  plan: ({ content }, noted, input) =>
    present({
      kind: 'plan' as const,
      content,
      plan: text(noted.plan) ?? text(input.plan),
      explanation: text(input.explanation),
      steps: stepsOf(input.plan ?? input.steps),
    }),
  question: ({ content }, noted, input) =>
    present({
      kind: 'question' as const,
      content,
      answers: answersOf(noted.answers),
      questions: questionsOf(noted.questions ?? input.questions),
    }),
  task: ({ content }, noted, input) =>
    present({
      kind: 'task' as const,
      content,
      description: text(input.description),
      task_id: taskOf(noted),
      task_type: textOf(input, 'subagent_type', 'agent'),
      task_status: text(noted.status),
      total_duration_ms: whole(noted.totalDurationMs),
      total_tokens: whole(noted.totalTokens),
      total_tool_use_count: whole(noted.totalToolUseCount),
    }),
}

const linesOf = (said: string): number | undefined =>
  said === '' ? undefined : said.replace(/\n$/, '').split('\n').length

const seconds = (value: unknown): number | undefined =>
  typeof value === 'number' ? Math.round(value * 1000) : undefined

function hunksOf(value: unknown) {
  const hunks = items(value).map((item) => {
    const hunk = object(item)
    return present({
      old_start: whole(hunk.oldStart),
      old_lines: whole(hunk.oldLines),
      new_start: whole(hunk.newStart),
      new_lines: whole(hunk.newLines),
      lines: texts(hunk.lines),
    })
  })
  return hunks.length > 0 ? hunks : undefined
}

function foundOf(value: unknown) {
  const pages = items(value).flatMap((item) => [...items(object(item).content), ...(object(item).url ? [item] : [])])
  const found = pages.map((item) => {
    const page = object(item)
    return present({ title: text(page.title), url: text(page.url), snippet: text(page.snippet) })
  })
  return found.length > 0 ? found : undefined
}

const answersOf = (value: unknown) =>
  isObject(value) ? Object.entries(value).map(([name, answer]) => ({ name, value: shown(answer) })) : undefined

function questionsOf(value: unknown) {
  const all = items(value).map((item) => {
    const question = object(item)
    const options = items(question.options).map((one) =>
      present({ label: text(object(one).label), description: text(object(one).description) }),
    )
    return present({
      question: text(question.question),
      header: text(question.header),
      multi_select: flag(question.multiSelect) ?? flag(question.multiple),
      options: options.length > 0 ? options : undefined,
    })
  })
  return all.length > 0 ? all : undefined
}

const REJECTED = /^(?:The user doesn't want to (?:proceed|take this action)|\[Request interrupted by user)/
const REASON = /the user said:\s*([\s\S]+)$/i

function errorOf({ content, isError, noted }: Outcome, kind: ToolKind | undefined): ToolResult['error'] {
  const exit =
    whole(object(noted).exit_code) ?? whole(object(noted).exit) ?? whole(object(object(noted).metadata).exit_code)
  if (!isError && !exit) return undefined
  const message = content.slice(0, 2000)
  const said = REASON.exec(content)?.[1]?.trim()
  if (REJECTED.test(content)) {
    return said
      ? { category: 'user_rejection_with_reason', message, user_reason: said }
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
