import { event } from '../../core/events/event.ts'
import { BeadCommentedPayload } from './schema.ts'

export const BeadCommented = event('bead.commented', BeadCommentedPayload, 'Somebody commented on a bead.')
