import { Type } from '@sinclair/typebox'
import { defineEvent } from '../../core/events/index.ts'

const text = Type.String()

export const MoleculeResolved = defineEvent(
  'molecule.resolved',
  Type.Object(
    {
      issue_id: text,
      from_status: text,
      to_status: text,
      actor: text,
      ts: Type.String({ format: 'date-time' }),
      close_reason: Type.Optional(text),
      session_id: Type.Optional(text),
      session_name: Type.Optional(text),
      work_dir: Type.Optional(text),
    },
    { $id: 'MoleculeResolvedPayload', additionalProperties: false },
  ),
  'A molecule was closed with the last of its steps.',
)
