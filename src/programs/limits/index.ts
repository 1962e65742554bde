export {
  firstSentence,
  type LimitReader,
  type LimitStatement,
  type LogStatement,
  limitIn,
  onOneLine,
  readSoundly,
} from './statement.ts'
export { nextWallTime, parseWallTime, readLeadingDuration } from './times.ts'
