import { type Static, Type } from '@sinclair/typebox'
import { closedObject, optional, optionalString, optionalStrings } from './fields.ts'
import { Argument, PlanStep, TodoItem } from './parts.ts'

export const ToolInputArguments = closedObject('SessionStructuredToolInputArguments', {
  kind: Type.Literal('arguments'),
  arguments: Type.Array(Argument),
})

export const ToolInputCode = closedObject('SessionStructuredToolInputCode', {
  kind: Type.Literal('code'),
  code: Type.String(),
  language: optionalString,
})

export const ToolInputCommand = closedObject('SessionStructuredToolInputCommand', {
  kind: Type.Literal('command'),
  command: Type.String(),
  arguments: optional(Type.Array(Argument)),
})

export const ToolInputFetch = closedObject('SessionStructuredToolInputFetch', {
  kind: Type.Literal('fetch'),
  prompt: optionalString,
  url: optionalString,
})

export const ToolInputFile = closedObject('SessionStructuredToolInputFile', {
  kind: Type.Literal('file'),
  file_path: Type.String(),
  command: optionalString,
  language: optionalString,
})

export const ToolInputGlob = closedObject('SessionStructuredToolInputGlob', {
  kind: Type.Literal('glob'),
  arguments: optional(Type.Array(Argument)),
  file_path: optionalString,
  pattern: optionalString,
  query: optionalString,
})

export const ToolInputPatch = closedObject('SessionStructuredToolInputPatch', {
  kind: Type.Literal('patch'),
  patch: Type.String(),
  file_path: optionalString,
  language: optionalString,
})

export const ToolInputPlan = closedObject('SessionStructuredToolInputPlan', {
  kind: Type.Literal('plan'),
  explanation: optionalString,
  plan: optionalString,
  steps: optional(Type.Array(PlanStep)),
})

export const ToolInputQuestion = closedObject('SessionStructuredToolInputQuestion', {
  kind: Type.Literal('question'),
  options: optionalStrings,
  question: optionalString,
})

export const ToolInputSearch = closedObject('SessionStructuredToolInputSearch', {
  kind: Type.Literal('search'),
  arguments: optional(Type.Array(Argument)),
  command: optionalString,
  file_path: optionalString,
  pattern: optionalString,
  query: optionalString,
})

export const ToolInputStdin = closedObject('SessionStructuredToolInputStdin', {
  kind: Type.Literal('stdin'),
  linked_command: optionalString,
  task_id: optionalString,
  text: optionalString,
})

export const ToolInputTask = closedObject('SessionStructuredToolInputTask', {
  kind: Type.Literal('task'),
  description: optionalString,
  prompt: optionalString,
  task_id: optionalString,
  task_status: optionalString,
  task_type: optionalString,
})

export const ToolInputText = closedObject('SessionStructuredToolInputText', {
  kind: Type.Literal('text'),
  text: Type.String(),
})

export const ToolInputTodo = closedObject('SessionStructuredToolInputTodo', {
  kind: Type.Literal('todo'),
  todos: optional(Type.Array(TodoItem)),
})

export const ToolInputUnknown = closedObject('SessionStructuredToolInputUnknown', {
  kind: Type.Literal('unknown'),
  arguments: optional(Type.Array(Argument)),
  code: optionalString,
  command: optionalString,
  description: optionalString,
  explanation: optionalString,
  file_path: optionalString,
  language: optionalString,
  linked_command: optionalString,
  options: optionalStrings,
  patch: optionalString,
  pattern: optionalString,
  plan: optionalString,
  prompt: optionalString,
  query: optionalString,
  question: optionalString,
  steps: optional(Type.Array(PlanStep)),
  task_id: optionalString,
  task_status: optionalString,
  task_type: optionalString,
  text: optionalString,
  todos: optional(Type.Array(TodoItem)),
  url: optionalString,
})

export const ToolInputWrite = closedObject('SessionStructuredToolInputWrite', {
  kind: Type.Literal('write'),
  file_path: optionalString,
  language: optionalString,
  text: optionalString,
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
