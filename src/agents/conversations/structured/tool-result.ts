import { type Static, Type } from '@sinclair/typebox'
import { count, flag, optional, shape, strings, text } from './fields.ts'
import { Argument, PatchHunk, PlanStep, Question, SearchResultItem, TodoItem } from './parts.ts'

export const ToolError = shape('SessionStructuredToolError', {
  category: Type.Union([
    Type.Literal('user_rejection'),
    Type.Literal('user_rejection_with_reason'),
    Type.Literal('command_failure'),
    Type.Literal('file_error'),
    Type.Literal('validation_error'),
    Type.Literal('timeout'),
    Type.Literal('network_error'),
    Type.Literal('unknown'),
  ]),
  message: text,
  user_reason: text,
})

export const ToolResultBash = shape('SessionStructuredToolResultBash', {
  kind: Type.Literal('bash'),
  command: text,
  content: text,
  error: optional(ToolError),
  exit_code: count,
  interrupted: flag,
  is_image: flag,
  num_lines: count,
  stderr: text,
  stderr_lines: count,
  stdout: text,
  stdout_lines: count,
  task_id: text,
  task_status: text,
  text,
  timestamp: text,
  truncated: flag,
})

export const ToolResultEdit = shape('SessionStructuredToolResultEdit', {
  kind: Type.Literal('edit'),
  content: text,
  error: optional(ToolError),
  file_path: text,
  file_paths: strings,
  new_string: text,
  old_string: text,
  original_file: text,
  patch: text,
  patch_hunks: optional(Type.Array(PatchHunk)),
  replace_all: flag,
  user_modified: flag,
})

export const ToolResultFetch = shape('SessionStructuredToolResultFetch', {
  kind: Type.Literal('fetch'),
  bytes: count,
  content: text,
  duration_ms: count,
  error: optional(ToolError),
  num_lines: count,
  status_code: count,
  status_text: text,
  text,
  url: text,
})

export const ToolResultGlob = shape('SessionStructuredToolResultGlob', {
  kind: Type.Literal('glob'),
  content: text,
  duration_ms: count,
  error: optional(ToolError),
  filenames: strings,
  num_files: count,
  num_lines: count,
  truncated: flag,
})

export const ToolResultGrep = shape('SessionStructuredToolResultGrep', {
  kind: Type.Literal('grep'),
  applied_limit: count,
  content: text,
  counts: optional(Type.Array(Argument)),
  duration_ms: count,
  error: optional(ToolError),
  filenames: strings,
  mode: text,
  num_files: count,
  num_lines: count,
  num_results: count,
  query: text,
  result_items: optional(Type.Array(SearchResultItem)),
})

export const ToolResultPlan = shape('SessionStructuredToolResultPlan', {
  kind: Type.Literal('plan'),
  content: text,
  error: optional(ToolError),
  explanation: text,
  plan: text,
  steps: optional(Type.Array(PlanStep)),
  text,
})

export const ToolResultPython = shape('SessionStructuredToolResultPython', {
  kind: Type.Literal('python'),
  code: text,
  error: optional(ToolError),
  exit_code: count,
  interrupted: flag,
  is_image: flag,
  stderr: text,
  stdout: text,
  text,
  truncated: flag,
})

export const ToolResultQuestion = shape('SessionStructuredToolResultQuestion', {
  kind: Type.Literal('question'),
  answer: text,
  answers: optional(Type.Array(Argument)),
  content: text,
  error: optional(ToolError),
  options: strings,
  question: text,
  questions: optional(Type.Array(Question)),
  text,
})

export const ToolResultRead = shape('SessionStructuredToolResultRead', {
  kind: Type.Literal('read'),
  content: text,
  error: optional(ToolError),
  file_path: text,
  language: text,
  num_lines: count,
  start_line: count,
  total_lines: count,
})

export const ToolResultSearch = shape('SessionStructuredToolResultSearch', {
  kind: Type.Literal('search'),
  applied_limit: count,
  content: text,
  counts: optional(Type.Array(Argument)),
  duration_ms: count,
  error: optional(ToolError),
  filenames: strings,
  mode: text,
  num_files: count,
  num_lines: count,
  num_results: count,
  query: text,
  result_items: optional(Type.Array(SearchResultItem)),
})

export const ToolResultStdin = shape('SessionStructuredToolResultStdin', {
  kind: Type.Literal('stdin'),
  content: text,
  error: optional(ToolError),
  num_lines: count,
  task_id: text,
  text,
})

export const ToolResultTask = shape('SessionStructuredToolResultTask', {
  kind: Type.Literal('task'),
  content: text,
  description: text,
  error: optional(ToolError),
  exit_code: count,
  output: text,
  stderr: text,
  stdout: text,
  task_id: text,
  task_status: text,
  task_type: text,
  text,
  total_duration_ms: count,
  total_tokens: count,
  total_tool_use_count: count,
})

export const ToolResultText = shape('SessionStructuredToolResultText', {
  kind: Type.Literal('text'),
  content: text,
  error: optional(ToolError),
  text,
})

export const ToolResultTodo = shape('SessionStructuredToolResultTodo', {
  kind: Type.Literal('todo'),
  content: text,
  error: optional(ToolError),
  new_todos: optional(Type.Array(TodoItem)),
  old_todos: optional(Type.Array(TodoItem)),
  text,
})

export const ToolResultUnknown = shape('SessionStructuredToolResultUnknown', {
  kind: Type.Literal('unknown'),
  answer: text,
  answers: optional(Type.Array(Argument)),
  applied_limit: count,
  bytes: count,
  code: text,
  command: text,
  content: text,
  counts: optional(Type.Array(Argument)),
  description: text,
  duration_ms: count,
  error: optional(ToolError),
  exit_code: count,
  explanation: text,
  file_path: text,
  file_paths: strings,
  filenames: strings,
  interrupted: flag,
  is_image: flag,
  language: text,
  mode: text,
  new_string: text,
  new_todos: optional(Type.Array(TodoItem)),
  num_files: count,
  num_lines: count,
  num_results: count,
  old_string: text,
  old_todos: optional(Type.Array(TodoItem)),
  options: strings,
  original_file: text,
  output: text,
  patch: text,
  patch_hunks: optional(Type.Array(PatchHunk)),
  plan: text,
  query: text,
  question: text,
  questions: optional(Type.Array(Question)),
  replace_all: flag,
  result_items: optional(Type.Array(SearchResultItem)),
  start_line: count,
  status_code: count,
  status_text: text,
  stderr: text,
  stderr_lines: count,
  stdout: text,
  stdout_lines: count,
  steps: optional(Type.Array(PlanStep)),
  task_id: text,
  task_status: text,
  task_type: text,
  text,
  timestamp: text,
  total_duration_ms: count,
  total_lines: count,
  total_tokens: count,
  total_tool_use_count: count,
  truncated: flag,
  url: text,
  user_modified: flag,
})

export const ToolResultWrite = shape('SessionStructuredToolResultWrite', {
  kind: Type.Literal('write'),
  content: text,
  error: optional(ToolError),
  file_path: text,
  file_paths: strings,
  language: text,
  num_lines: count,
  patch: text,
  patch_hunks: optional(Type.Array(PatchHunk)),
  start_line: count,
  text,
  total_lines: count,
})

export const ToolResult = Type.Union(
  [
    ToolResultUnknown,
    ToolResultBash,
    ToolResultPython,
    ToolResultRead,
    ToolResultGlob,
    ToolResultGrep,
    ToolResultSearch,
    ToolResultFetch,
    ToolResultTodo,
    ToolResultPlan,
    ToolResultQuestion,
    ToolResultStdin,
    ToolResultTask,
    ToolResultWrite,
    ToolResultEdit,
    ToolResultText,
  ],
  { $id: 'SessionStructuredToolResult' },
)
export type ToolResult = Static<typeof ToolResult>
