import { defineEvent, NoPayload } from '../../core/events/event.ts'

export const ConvoyCreated = defineEvent('convoy.created', NoPayload, 'A convoy was created.')
export const ConvoyClosed = defineEvent('convoy.closed', NoPayload, 'A convoy was closed.')
