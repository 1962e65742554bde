import { event, NoPayload } from '../../core/events/event.ts'

export const CitySuspended = event('city.suspended', NoPayload, 'The city starts no new sessions until it is resumed.')
export const CityResumed = event('city.resumed', NoPayload, 'The city starts sessions again.')
export const ControllerStarted = event('controller.started', NoPayload, 'The city was opened.')
export const ControllerStopped = event('controller.stopped', NoPayload, 'The city was closed.')
