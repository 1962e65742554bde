import { Type } from '@sinclair/typebox'
import { defineEvent } from '../../../core/events/index.ts'

const LabelPayload = Type.Object(
  { submolt: Type.String(), label: Type.String() },
  { $id: 'NetworkLabelPayload', additionalProperties: false },
)
const AttachmentPayload = Type.Object(
  {
    submolt: Type.String(),
    label: Type.String(),
    target_id: Type.String({ description: 'The post or the agent.' }),
  },
  { $id: 'NetworkAttachmentPayload', additionalProperties: false },
)

export const LabelCreated = defineEvent('label.created', LabelPayload, 'A community got a label.')
export const LabelAttached = defineEvent('label.attached', AttachmentPayload, 'A post or an agent got a label.')
export const LabelDetached = defineEvent('label.detached', AttachmentPayload, 'A post or an agent lost a label.')
