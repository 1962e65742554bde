export { type CommentDraft, Comments } from './comments.ts'
export { commentRoutes } from './routes.ts'
export type { BeadComment } from './schema.ts'
