import { defineEvent, NoPayload } from '../../core/events/index.ts'

export const ConvoyCreated = defineEvent('convoy.created', NoPayload, 'A convoy was created.')
export const ConvoyClosed = defineEvent('convoy.closed', NoPayload, 'A convoy was closed.')
