export { LandingAttention } from './attention.ts'
export {
  LandAlready,
  LandBatched,
  LandCancelled,
  LandChecking,
  LandConflict,
  LandFlaky,
  LandHeld,
  LandLanded,
  LandLost,
  LandMerging,
  LandOvertaken,
  LandParked,
  LandProposed,
  LandPushing,
  LandQueued,
  LandRed,
  LandRefused,
  LandRunning,
  LandStanding,
  LandSubmitted,
  LandUndelivered,
  LandWaitingTurn,
} from './events.ts'
export { type KeptYard, listKeptYards, removeGoneYards } from './gone-yards.ts'
export { Landings } from './landings.ts'
export { landingRoutes } from './routes.ts'
export type { Landing, LandingList, LandingLog, LandStatus } from './schema.ts'
