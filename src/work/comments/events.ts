import { defineEvent } from '../../core/events/index.ts'
import { BeadCommentedPayload } from './schema.ts'

export const BeadCommented = defineEvent('bead.commented', BeadCommentedPayload, 'Somebody commented on a bead.')
