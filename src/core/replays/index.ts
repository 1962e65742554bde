export { type BodyDigest, type Replay, type ReplayKey, Replays, type StoredReplay } from './replays.ts'
