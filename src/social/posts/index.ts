export { parsePostDraft } from './draft.ts'
export { votesOn } from './kept-lists.ts'
export { PostPins } from './pins.ts'
export { Posts } from './posts.ts'
export { RankRefresh } from './rank-refresh.ts'
export {
  ageClassOf,
  best,
  controversy,
  hot,
  hotChanged,
  rankChanged,
  rising,
  startOf,
  type Tally,
  TIMES,
} from './ranks.ts'
export { Reports } from './reports/reports.ts'
export { reportRoutes } from './reports/routes.ts'
export { RevisionListResponse } from './revisions/schema.ts'
export { pinRoutes, postRoutes } from './routes.ts'
export { ListedPost, POST_FIELDS, Post, type PostListResponse, type PostSort } from './schema.ts'
export {
  authorFields,
  compactAuthor,
  listedPostOf,
  postOf,
  type Surroundings,
  toListedPost,
  toPost,
} from './view.ts'
