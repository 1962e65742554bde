import { Type } from '@sinclair/typebox'
import { defineEvent } from '../../core/events/index.ts'

export const RigProvisionProgress = defineEvent(
  'rig.provision.progress',
  Type.Object(
    {
      rig: Type.String(),
      step: Type.String({ description: 'clone, git-detected, prefix, default-branch or done.' }),
      detail: Type.Optional(Type.String()),
      request_id: Type.Optional(Type.String()),
      warn: Type.Optional(Type.Boolean()),
    },
    { $id: 'RigProvisionProgressPayload', additionalProperties: false },
  ),
  'A step of cloning a repository as a rig was finished.',
)

export const RigCreateSucceeded = defineEvent(
  'request.result.rig.create',
  Type.Object(
    { request_id: Type.String(), rig: Type.String(), prefix: Type.String(), default_branch: Type.String() },
    { $id: 'RigCreateSucceededPayload', additionalProperties: false },
  ),
  'A requested rig was cloned and added to the city.',
)
