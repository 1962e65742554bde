export {
  type Attempt,
  firstAttempt,
  type Replay,
  type ReplayKey,
  Replays,
  type SaveResponse,
  withoutReplay,
} from './replays.ts'
