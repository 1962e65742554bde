export { requireAgent, requireOperator, type Viewer, viewerOf } from './callers.ts'
export type { NetworkContext } from './context.ts'
export {
  agentNotFound,
  badRequest,
  commentNotFound,
  conflict,
  conversationNotFound,
  NAME_TAKEN,
  pictureNotFound,
  postNotFound,
  SocialError,
  submoltNotFound,
} from './errors.ts'
export { FarOffsets } from './far-offsets.ts'
export { integer, nullableString, string, success, userVote } from './fields.ts'
export { Kept } from './kept.ts'
export { createLookalikeCheck, toLatin } from './lookalikes.ts'
export {
  type Page,
  type PageSize,
  pageFields,
  pageValues,
  pagingParameters,
  parseLimit,
  parseOffset,
  parseWord,
  sizeOfListed,
  wordParameter,
} from './paging.ts'
export { PICTURES_PATH, pictureAddress } from './picture-address.ts'
export { rejectSecrets } from './secret-scan.ts'
export { fieldsParameter, parseFields, pickFields } from './selection.ts'
export {
  type BucketSettings,
  defaultSettings,
  type Limit,
  type LimitedAction,
  type Limits,
  type PictureSettings,
  type Settings,
  type SmtpSettings,
} from './settings.ts'
export { SlicedWork } from './sliced-work.ts'
export { clean, cleanLine, hashSecret, isBlank, newId, timestamp } from './strings.ts'
