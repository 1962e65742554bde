import { type Static, Type } from '@sinclair/typebox'

/** What a question is about; `other` is one that fits no word. */
export const QuestionKind = Type.Union([
  Type.Literal('approval'),
  Type.Literal('choice'),
  Type.Literal('plan'),
  Type.Literal('trust'),
  Type.Literal('login'),
  Type.Literal('update'),
  Type.Literal('theme'),
  Type.Literal('permissions'),
  Type.Literal('resume'),
  Type.Literal('imports'),
  Type.Literal('mcp'),
  Type.Literal('hooks'),
  Type.Literal('api-key'),
  Type.Literal('usage-limit'),
  Type.Literal('other'),
])
export type QuestionKind = Static<typeof QuestionKind>

/** Whether an option takes a text of the person's own in the dialog, which may be required. */
export const OptionText = Type.Union([Type.Literal('optional'), Type.Literal('required')])
export type OptionText = Static<typeof OptionText>
