import { defineEvent, NoPayload } from '../../core/events/index.ts'

export const RigTrusted = defineEvent(
  'rig.trusted',
  NoPayload,
  'A person trusts the folder of a rig, and those that gc makes of it.',
)
export const RigDistrusted = defineEvent('rig.distrusted', NoPayload, 'A person revoked the trust in a rig.')
