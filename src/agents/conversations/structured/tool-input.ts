import { type Static, Type } from '@sinclair/typebox'
import { optional, shape, strings, text } from './fields.ts'
import { Argument, PlanStep, TodoItem } from './parts.ts'

export const ToolInputArguments = shape('SessionStructuredToolInputArguments', {
  kind: Type.Literal('arguments'),
  arguments: Type.Array(Argument),
})

export const ToolInputCode = shape('SessionStructuredToolInputCode', {
  kind: Type.Literal('code'),
  code: Type.String(),
  language: text,
})

export const ToolInputCommand = shape('SessionStructuredToolInputCommand', {
  kind: Type.Literal('command'),
  command: Type.String(),
  arguments: optional(Type.Array(Argument)),
})

export const ToolInputFetch = shape('SessionStructuredToolInputFetch', {
  kind: Type.Literal('fetch'),
  prompt: text,
  url: text,
})

export const ToolInputFile = shape('SessionStructuredToolInputFile', {
  kind: Type.Literal('file'),
  file_path: Type.String(),
  command: text,
  language: text,
})

export const ToolInputGlob = shape('SessionStructuredToolInputGlob', {
  kind: Type.Literal('glob'),
  arguments: optional(Type.Array(Argument)),
  file_path: text,
  pattern: text,
  query: text,
})

export const ToolInputPatch = shape('SessionStructuredToolInputPatch', {
  kind: Type.Literal('patch'),
  patch: Type.String(),
  file_path: text,
  language: text,
})

export const ToolInputPlan = shape('SessionStructuredToolInputPlan', {
  kind: Type.Literal('plan'),
  explanation: text,
  plan: text,
  steps: optional(Type.Array(PlanStep)),
})

export const ToolInputQuestion = shape('SessionStructuredToolInputQuestion', {
  kind: Type.Literal('question'),
  options: strings,
  question: text,
})

export const ToolInputSearch = shape('SessionStructuredToolInputSearch', {
  kind: Type.Literal('search'),
  arguments: optional(Type.Array(Argument)),
  command: text,
  file_path: text,
  pattern: text,
  query: text,
})

export const ToolInputStdin = shape('SessionStructuredToolInputStdin', {
  kind: Type.Literal('stdin'),
  linked_command: text,
  task_id: text,
  text,
})

export const ToolInputTask = shape('SessionStructuredToolInputTask', {
  kind: Type.Literal('task'),
  description: text,
  prompt: text,
  task_id: text,
  task_status: text,
  task_type: text,
})

export const ToolInputText = shape('SessionStructuredToolInputText', {
  kind: Type.Literal('text'),
  text: Type.String(),
})

export const ToolInputTodo = shape('SessionStructuredToolInputTodo', {
  kind: Type.Literal('todo'),
  todos: optional(Type.Array(TodoItem)),
})

export const ToolInputUnknown = shape('SessionStructuredToolInputUnknown', {
  kind: Type.Literal('unknown'),
  arguments: optional(Type.Array(Argument)),
  code: text,
  command: text,
  description: text,
  explanation: text,
  file_path: text,
  language: text,
  linked_command: text,
  options: strings,
  patch: text,
  pattern: text,
  plan: text,
  prompt: text,
  query: text,
  question: text,
  steps: optional(Type.Array(PlanStep)),
  task_id: text,
  task_status: text,
  task_type: text,
  text,
  todos: optional(Type.Array(TodoItem)),
  url: text,
})

export const ToolInputWrite = shape('SessionStructuredToolInputWrite', {
  kind: Type.Literal('write'),
  file_path: text,
  language: text,
  text,
})

export const ToolInput = Type.Union(
  [
    ToolInputUnknown,
    ToolInputCommand,
    ToolInputStdin,
    ToolInputCode,
    ToolInputPatch,
    ToolInputWrite,
    ToolInputGlob,
    ToolInputFetch,
    ToolInputSearch,
    ToolInputFile,
    ToolInputTodo,
    ToolInputPlan,
    ToolInputQuestion,
    ToolInputTask,
    ToolInputText,
    ToolInputArguments,
  ],
  { $id: 'SessionStructuredToolInput' },
)
export type ToolInput = Static<typeof ToolInput>
