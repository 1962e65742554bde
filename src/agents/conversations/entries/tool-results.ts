import type { ToolResult } from '../structured/tool-result.ts'
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
import { commandOf, fileOf, newText, oldText, stepsOf, taskIdOf, todosOf } from './tool-inputs.ts'
import { kindOf, type ToolCall, type ToolKind } from './tool-kinds.ts'

/** What came back from a tool. */
export interface ToolOutcome {
  /** The words that the model was shown. */
  readonly content: string
  readonly isError: boolean
  /** What the program noted for itself beside those words. */
  readonly details: unknown
}

type ResultReader = (outcome: ToolOutcome, noted: JsonRecord, input: JsonRecord) => ToolResult

/** What came back from a tool, in the words that are the same for every program. */
export function toolResult(call: ToolCall | undefined, outcome: ToolOutcome): ToolResult {
  const kind = kindOf(call?.name) ?? guessKind(outcome.details)
  const noted = asObject(outcome.details)
  const read = kind ? RESULT_READERS[kind] : textResult
  const result = read(outcome, noted, asObject(call?.input))
  const error = errorOf(outcome, kind)
  return error ? { ...result, error } : result
}

const textResult: ResultReader = ({ content }) => ({ kind: 'text', text: content })

/** What the notes tell of a tool whose call was not seen. */
function guessKind(noted: unknown): ToolKind | undefined {
  if (!isObject(noted)) return undefined
  if ('structuredPatch' in noted || 'oldString' in noted) return 'edit'
  if ('stdout' in noted || 'exit_code' in noted) return 'command'
  if ('newTodos' in noted) return 'todo'
  return undefined
}

const RESULT_READERS: Readonly<Record<ToolKind, ResultReader>> = {
  command: ({ content }, noted, input) => {
    const stdout = asString(noted.stdout) ?? (isObject(noted.metadata) || 'exit' in noted ? content : undefined)
    return omitUndefined({
      kind: 'bash' as const,
      command: commandOf(input),
      content,
      stdout,
      stderr: asString(noted.stderr),
      exit_code: asInteger(noted.exit_code) ?? asInteger(noted.exit) ?? asInteger(asObject(noted.metadata).exit_code),
      interrupted: asBoolean(noted.interrupted),
      truncated: asBoolean(noted.truncated),
      is_image: asBoolean(noted.isImage),
      num_lines: countLines(stdout ?? content),
      task_id: firstString(noted, 'backgroundTaskId', 'shellId'),
    })
  },
  stdin: ({ content }, noted, input) =>
    omitUndefined({
      kind: 'stdin' as const,
      content,
      task_id: taskIdOf(noted) ?? taskIdOf(input),
      num_lines: countLines(content),
    }),
  code: ({ content, isError }, _, input) =>
    omitUndefined({
      kind: 'python' as const,
      code: asString(input.code),
      ...(isError ? { stderr: content } : { stdout: content }),
    }),
  patch: ({ content }, noted, input) =>
    omitUndefined({
      kind: 'edit' as const,
      content,
      file_path: fileOf(noted),
      file_paths: asStrings(noted.files),
      patch: firstString(noted, 'diff') ?? firstString(input, 'patch', 'patchText', 'input'),
    }),
  edit: ({ content }, noted, input) => {
    const from = Object.keys(noted).length > 0 ? { ...input, ...noted } : input
    return omitUndefined({
      kind: 'edit' as const,
      content,
      file_path: fileOf(from),
      old_string: oldText(from) || undefined,
      new_string: newText(from) || undefined,
      original_file: asString(noted.originalFile),
      patch: asString(noted.diff),
      patch_hunks: hunksOf(noted.structuredPatch),
      replace_all: asBoolean(from.replaceAll) ?? asBoolean(from.replace_all),
      user_modified: asBoolean(noted.userModified),
    })
  },
  write: ({ content }, noted, input) =>
    omitUndefined({
      kind: 'write' as const,
      content,
      file_path: fileOf(noted) ?? fileOf(input),
      text: firstString(noted, 'content') ?? firstString(input, 'content'),
      patch: asString(noted.diff),
      patch_hunks: hunksOf(noted.structuredPatch),
    }),
  glob: ({ content }, noted) =>
    omitUndefined({
      kind: 'glob' as const,
      content,
      filenames: asStrings(noted.filenames),
      num_files: asInteger(noted.numFiles) ?? asInteger(noted.count),
      duration_ms: asInteger(noted.durationMs),
      truncated: asBoolean(noted.truncated),
    }),
  grep: ({ content }, noted, input) =>
    omitUndefined({
      kind: 'grep' as const,
      content,
      query: firstString(input, 'pattern', 'query'),
      mode: asString(noted.mode),
      filenames: asStrings(noted.filenames),
      num_files: asInteger(noted.numFiles),
      num_lines: asInteger(noted.numLines),
      num_results: asInteger(noted.matches),
      applied_limit: asInteger(noted.appliedLimit),
    }),
  search: ({ content }, noted, input) =>
    omitUndefined({
      kind: 'search' as const,
      content,
      query: firstString(noted, 'query') ?? firstString(input, 'query'),
      result_items: searchItemsOf(noted.results),
      duration_ms: secondsToMs(noted.durationSeconds),
    }),
  fetch: ({ content }, noted, input) =>
    omitUndefined({
      kind: 'fetch' as const,
      content,
      url: firstString(noted, 'url') ?? asString(input.url),
      status_code: asInteger(noted.code),
      status_text: asString(noted.codeText),
      bytes: asInteger(noted.bytes),
      duration_ms: asInteger(noted.durationMs),
    }),
  file: ({ content }, noted, input) => {
    const file = asObject(noted.file)
    return omitUndefined({
      kind: 'read' as const,
      content: asString(file.content) ?? content,
      file_path: fileOf(file) ?? fileOf(input),
      num_lines: asInteger(file.numLines),
      start_line: asInteger(file.startLine) ?? asInteger(input.offset),
      total_lines: asInteger(file.totalLines),
    })
  },
  todo: ({ content }, noted, input) =>
    omitUndefined({
      kind: 'todo' as const,
      content,
      old_todos: 'oldTodos' in noted ? todosOf(noted.oldTodos) : undefined,
      new_todos: todosOf(noted.newTodos ?? noted.todos ?? input.todos),
    }),
  plan: ({ content }, noted, input) =>
    omitUndefined({
      kind: 'plan' as const,
      content,
      plan: asString(noted.plan) ?? asString(input.plan),
      explanation: asString(input.explanation),
      steps: stepsOf(input.plan ?? input.steps),
    }),
  question: ({ content }, noted, input) =>
    omitUndefined({
      kind: 'question' as const,
      content,
      answers: answersOf(noted.answers),
      questions: questionsOf(noted.questions ?? input.questions),
    }),
  task: ({ content }, noted, input) =>
    omitUndefined({
      kind: 'task' as const,
      content,
      description: asString(input.description),
      task_id: taskIdOf(noted),
      task_type: firstString(input, 'subagent_type', 'agent'),
      task_status: asString(noted.status),
      total_duration_ms: asInteger(noted.totalDurationMs),
      total_tokens: asInteger(noted.totalTokens),
      total_tool_use_count: asInteger(noted.totalToolUseCount),
    }),
}

const countLines = (said: string): number | undefined =>
  said === '' ? undefined : said.replace(/\n$/, '').split('\n').length

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
  const found = pages.map((item) => {
    const page = asObject(item)
    return omitUndefined({ title: asString(page.title), url: asString(page.url), snippet: asString(page.snippet) })
  })
  return found.length > 0 ? found : undefined
}

const answersOf = (value: unknown) =>
  isObject(value) ? Object.entries(value).map(([name, answer]) => ({ name, value: stringify(answer) })) : undefined

function questionsOf(value: unknown) {
  const all = asArray(value).map((item) => {
    const question = asObject(item)
    const options = asArray(question.options).map((one) =>
      omitUndefined({ label: asString(asObject(one).label), description: asString(asObject(one).description) }),
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

function errorOf({ content, isError, details: noted }: ToolOutcome, kind: ToolKind | undefined): ToolResult['error'] {
  const exit =
    asInteger(asObject(noted).exit_code) ??
    asInteger(asObject(noted).exit) ??
    asInteger(asObject(asObject(noted).metadata).exit_code)
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
