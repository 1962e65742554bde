import { Type } from '@sinclair/typebox'
import { closedObject, optional, optionalBoolean, optionalInteger, optionalString, optionalStrings } from './fields.ts'

export const Argument = closedObject('SessionStructuredArgument', { name: Type.String(), value: Type.String() })

export const TodoItem = closedObject('SessionStructuredTodoItem', {
  active_form: optionalString,
  content: optionalString,
  id: optionalString,
  priority: optionalString,
  status: optionalString,
})

export const PlanStep = closedObject('SessionStructuredPlanStep', { status: optionalString, step: optionalString })

export const PatchHunk = closedObject('SessionStructuredPatchHunk', {
  file_path: optionalString,
  lines: optionalStrings,
  new_lines: optionalInteger,
  new_start: optionalInteger,
  old_lines: optionalInteger,
  old_start: optionalInteger,
})

export const QuestionOption = closedObject('SessionStructuredQuestionOption', {
  description: optionalString,
  label: optionalString,
})

export const Question = closedObject('SessionStructuredQuestion', {
  header: optionalString,
  multi_select: optionalBoolean,
  options: optional(Type.Array(QuestionOption)),
  question: optionalString,
})

export const SearchResultItem = closedObject('SessionStructuredSearchResultItem', {
  snippet: optionalString,
  title: optionalString,
  url: optionalString,
})

export const Interaction = closedObject('SessionStructuredInteraction', {
  kind: optionalString,
  state: Type.String(),
  action: optionalString,
  options: optionalStrings,
  prompt: optionalString,
  request_id: optionalString,
})
