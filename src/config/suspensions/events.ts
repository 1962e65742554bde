import { defineEvent, NoPayload } from '../../core/events/index.ts'

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
