import { Type } from '@sinclair/typebox'
import { defineEvent, NoPayload, payload } from '../core/events/index.ts'

// Configuration

/** Maximum files named in an event. */
export const MAX_NAMED_FILES = 100

export const ConfigChanged = defineEvent(
  'config.changed',
  payload('ConfigChangedPayload', {
    files: Type.Array(Type.String(), {
      maxItems: MAX_NAMED_FILES,
      description: 'The files that differ from the previous configuration, relative to the city and sorted.',
    }),
    total: Type.Integer({ description: 'Number of files that differ; `files` may list fewer.' }),
  }),
  'A changed configuration was applied. Its actor is the one who changed it through gc, or `gc/config` if files were edited on disk.',
)

// Rigs that are cloned

export const RigProvisionProgress = defineEvent(
  'rig.provision.progress',
  payload('RigProvisionProgressPayload', {
    rig: Type.String(),
    step: Type.String({ description: 'clone, git-detected, prefix, default-branch or done.' }),
    detail: Type.Optional(Type.String()),
    request_id: Type.Optional(Type.String()),
    warn: Type.Optional(Type.Boolean()),
  }),
  'A step of cloning a repository as a rig was finished.',
)

export const RigCreateSucceeded = defineEvent(
  'request.result.rig.create',
  payload('RigCreateSucceededPayload', {
    request_id: Type.String(),
    rig: Type.String(),
    prefix: Type.String(),
    default_branch: Type.String(),
  }),
  'A requested rig was cloned and added to the city.',
)

// Suspensions

export const AgentSuspended = defineEvent(
  'agent.suspended',
  NoPayload,
  'An agent starts no sessions until it is resumed.',
)
export const AgentResumed = defineEvent('agent.resumed', NoPayload, 'An agent starts sessions again.')
export const RigSuspended = defineEvent(
  'rig.suspended',
  NoPayload,
  'The agents of a rig start no sessions until it is resumed.',
)
export const RigResumed = defineEvent('rig.resumed', NoPayload, 'The agents of a rig start sessions again.')
