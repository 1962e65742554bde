export { Events } from './events.ts'
export { GapFrame, parseResumePoint, withWorkflow } from './frames.ts'
export { knownEvents } from './known.ts'
export { eventRoutes } from './routes.ts'
export { type EventActor, eventShapes, taggedEnvelope } from './schema.ts'
export {
  CityCreated,
  CityCreateSucceeded,
  CityUnregisterRequested,
  CityUnregisterSucceeded,
  PersonAdded,
  PersonRemoved,
  SupervisorShutdownRequested,
  SupervisorStarted,
} from './supervisor-events.ts'
