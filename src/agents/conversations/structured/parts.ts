import { Type } from '@sinclair/typebox'
import { count, flag, optional, shape, strings, text } from './fields.ts'

export const Argument = shape('SessionStructuredArgument', { name: Type.String(), value: Type.String() })

export const TodoItem = shape('SessionStructuredTodoItem', {
  active_form: text,
  content: text,
  id: text,
  priority: text,
  status: text,
})

export const PlanStep = shape('SessionStructuredPlanStep', { status: text, step: text })

export const PatchHunk = shape('SessionStructuredPatchHunk', {
  file_path: text,
  lines: strings,
  new_lines: count,
  new_start: count,
  old_lines: count,
  old_start: count,
})

export const QuestionOption = shape('SessionStructuredQuestionOption', { description: text, label: text })

export const Question = shape('SessionStructuredQuestion', {
  header: text,
  multi_select: flag,
  options: optional(Type.Array(QuestionOption)),
  question: text,
})

export const SearchResultItem = shape('SessionStructuredSearchResultItem', { snippet: text, title: text, url: text })

export const Interaction = shape('SessionStructuredInteraction', {
  kind: text,
  state: Type.String(),
  action: text,
  options: strings,
  prompt: text,
  request_id: text,
})
