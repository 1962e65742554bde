import { Type } from '@sinclair/typebox'
import { defineEvent } from '../../core/events/index.ts'

export const FormulaChanged = defineEvent(
  'formula.changed',
  Type.Object(
    {
      name: Type.String(),
      change: Type.Union([Type.Literal('saved'), Type.Literal('deleted')]),
    },
    { $id: 'FormulaChangedPayload', additionalProperties: false },
  ),
  'The file of a formula of the city was written or deleted through gc.',
)
