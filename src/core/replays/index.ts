export {
  type BodyDigest,
  type Replay,
  type ReplayHead,
  type ReplayKey,
  Replays,
  type StoredReplay,
} from './replays.ts'
