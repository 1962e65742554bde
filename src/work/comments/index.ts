export type { BeadComment } from '../schema.ts'
export { type CommentDraft, Comments, firstNumber, toComment } from './comments.ts'
export { COMMENT_LIMITS } from './limits.ts'
export { commentRoutes } from './routes.ts'
