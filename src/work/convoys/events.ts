import { event, NoPayload } from '../../core/events/event.ts'

export const ConvoyCreated = event('convoy.created', NoPayload, 'A convoy was created.')
export const ConvoyClosed = event('convoy.closed', NoPayload, 'A convoy was closed.')
