import { type Static, Type } from '@sinclair/typebox'
import { closedObject, optional, optionalBoolean, optionalInteger, optionalString, optionalStrings } from './fields.ts'
import { Argument, PatchHunk, PlanStep, Question, SearchResultItem, TodoItem } from './parts.ts'

export const ToolError = closedObject('SessionStructuredToolError', {
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
  message: optionalString,
  user_reason: optionalString,
})

export const ToolResultBash = closedObject('SessionStructuredToolResultBash', {
  kind: Type.Literal('bash'),
  command: optionalString,
  content: optionalString,
  error: optional(ToolError),
  exit_code: optionalInteger,
  interrupted: optionalBoolean,
  is_image: optionalBoolean,
  num_lines: optionalInteger,
  stderr: optionalString,
  stderr_lines: optionalInteger,
  stdout: optionalString,
  stdout_lines: optionalInteger,
  task_id: optionalString,
  task_status: optionalString,
  text: optionalString,
  timestamp: optionalString,
  truncated: optionalBoolean,
})

export const ToolResultEdit = closedObject('SessionStructuredToolResultEdit', {
  kind: Type.Literal('edit'),
  content: optionalString,
  error: optional(ToolError),
  file_path: optionalString,
  file_paths: optionalStrings,
  new_string: optionalString,
  old_string: optionalString,
  original_file: optionalString,
  patch: optionalString,
  patch_hunks: optional(Type.Array(PatchHunk)),
  replace_all: optionalBoolean,
  user_modified: optionalBoolean,
})

export const ToolResultFetch = closedObject('SessionStructuredToolResultFetch', {
  kind: Type.Literal('fetch'),
  bytes: optionalInteger,
  content: optionalString,
  duration_ms: optionalInteger,
  error: optional(ToolError),
  num_lines: optionalInteger,
  status_code: optionalInteger,
  status_text: optionalString,
  text: optionalString,
  url: optionalString,
})

export const ToolResultGlob = closedObject('SessionStructuredToolResultGlob', {
  kind: Type.Literal('glob'),
  content: optionalString,
  duration_ms: optionalInteger,
  error: optional(ToolError),
  filenames: optionalStrings,
  num_files: optionalInteger,
  num_lines: optionalInteger,
  truncated: optionalBoolean,
})

export const ToolResultGrep = closedObject('SessionStructuredToolResultGrep', {
  kind: Type.Literal('grep'),
  applied_limit: optionalInteger,
  content: optionalString,
  counts: optional(Type.Array(Argument)),
  duration_ms: optionalInteger,
  error: optional(ToolError),
  filenames: optionalStrings,
  mode: optionalString,
  num_files: optionalInteger,
  num_lines: optionalInteger,
  num_results: optionalInteger,
  query: optionalString,
  result_items: optional(Type.Array(SearchResultItem)),
})

export const ToolResultPlan = closedObject('SessionStructuredToolResultPlan', {
  kind: Type.Literal('plan'),
  content: optionalString,
  error: optional(ToolError),
  explanation: optionalString,
  plan: optionalString,
  steps: optional(Type.Array(PlanStep)),
  text: optionalString,
})

export const ToolResultPython = closedObject('SessionStructuredToolResultPython', {
  kind: Type.Literal('python'),
  code: optionalString,
  error: optional(ToolError),
  exit_code: optionalInteger,
  interrupted: optionalBoolean,
  is_image: optionalBoolean,
  stderr: optionalString,
  stdout: optionalString,
  text: optionalString,
  truncated: optionalBoolean,
})

export const ToolResultQuestion = closedObject('SessionStructuredToolResultQuestion', {
  kind: Type.Literal('question'),
  answer: optionalString,
  answers: optional(Type.Array(Argument)),
  content: optionalString,
  error: optional(ToolError),
  options: optionalStrings,
  question: optionalString,
  questions: optional(Type.Array(Question)),
  text: optionalString,
})

export const ToolResultRead = closedObject('SessionStructuredToolResultRead', {
  kind: Type.Literal('read'),
  content: optionalString,
  error: optional(ToolError),
  file_path: optionalString,
  language: optionalString,
  num_lines: optionalInteger,
  start_line: optionalInteger,
  total_lines: optionalInteger,
})

export const ToolResultSearch = closedObject('SessionStructuredToolResultSearch', {
  kind: Type.Literal('search'),
  applied_limit: optionalInteger,
  content: optionalString,
  counts: optional(Type.Array(Argument)),
  duration_ms: optionalInteger,
  error: optional(ToolError),
  filenames: optionalStrings,
  mode: optionalString,
  num_files: optionalInteger,
  num_lines: optionalInteger,
  num_results: optionalInteger,
  query: optionalString,
  result_items: optional(Type.Array(SearchResultItem)),
})

export const ToolResultStdin = closedObject('SessionStructuredToolResultStdin', {
  kind: Type.Literal('stdin'),
  content: optionalString,
  error: optional(ToolError),
  num_lines: optionalInteger,
  task_id: optionalString,
  text: optionalString,
})

export const ToolResultTask = closedObject('SessionStructuredToolResultTask', {
  kind: Type.Literal('task'),
  content: optionalString,
  description: optionalString,
  error: optional(ToolError),
  exit_code: optionalInteger,
  output: optionalString,
  stderr: optionalString,
  stdout: optionalString,
  task_id: optionalString,
  task_status: optionalString,
  task_type: optionalString,
  text: optionalString,
  total_duration_ms: optionalInteger,
  total_tokens: optionalInteger,
  total_tool_use_count: optionalInteger,
})

export const ToolResultText = closedObject('SessionStructuredToolResultText', {
  kind: Type.Literal('text'),
  content: optionalString,
  error: optional(ToolError),
  text: optionalString,
})

export const ToolResultTodo = closedObject('SessionStructuredToolResultTodo', {
  kind: Type.Literal('todo'),
  content: optionalString,
  error: optional(ToolError),
  new_todos: optional(Type.Array(TodoItem)),
  old_todos: optional(Type.Array(TodoItem)),
  text: optionalString,
})

export const ToolResultUnknown = closedObject('SessionStructuredToolResultUnknown', {
  kind: Type.Literal('unknown'),
  answer: optionalString,
  answers: optional(Type.Array(Argument)),
  applied_limit: optionalInteger,
  bytes: optionalInteger,
  code: optionalString,
  command: optionalString,
  content: optionalString,
  counts: optional(Type.Array(Argument)),
  description: optionalString,
  duration_ms: optionalInteger,
  error: optional(ToolError),
  exit_code: optionalInteger,
  explanation: optionalString,
  file_path: optionalString,
  file_paths: optionalStrings,
  filenames: optionalStrings,
  interrupted: optionalBoolean,
  is_image: optionalBoolean,
  language: optionalString,
  mode: optionalString,
  new_string: optionalString,
  new_todos: optional(Type.Array(TodoItem)),
  num_files: optionalInteger,
  num_lines: optionalInteger,
  num_results: optionalInteger,
  old_string: optionalString,
  old_todos: optional(Type.Array(TodoItem)),
  options: optionalStrings,
  original_file: optionalString,
  output: optionalString,
  patch: optionalString,
  patch_hunks: optional(Type.Array(PatchHunk)),
  plan: optionalString,
  query: optionalString,
  question: optionalString,
  questions: optional(Type.Array(Question)),
  replace_all: optionalBoolean,
  result_items: optional(Type.Array(SearchResultItem)),
  start_line: optionalInteger,
  status_code: optionalInteger,
  status_text: optionalString,
  stderr: optionalString,
  stderr_lines: optionalInteger,
  stdout: optionalString,
  stdout_lines: optionalInteger,
  steps: optional(Type.Array(PlanStep)),
  task_id: optionalString,
  task_status: optionalString,
  task_type: optionalString,
  text: optionalString,
  timestamp: optionalString,
  total_duration_ms: optionalInteger,
  total_lines: optionalInteger,
  total_tokens: optionalInteger,
  total_tool_use_count: optionalInteger,
  truncated: optionalBoolean,
  url: optionalString,
  user_modified: optionalBoolean,
})

export const ToolResultWrite = closedObject('SessionStructuredToolResultWrite', {
  kind: Type.Literal('write'),
  content: optionalString,
  error: optional(ToolError),
  file_path: optionalString,
  file_paths: optionalStrings,
  language: optionalString,
  num_lines: optionalInteger,
  patch: optionalString,
  patch_hunks: optional(Type.Array(PatchHunk)),
  start_line: optionalInteger,
  text: optionalString,
  total_lines: optionalInteger,
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
