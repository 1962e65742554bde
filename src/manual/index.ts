export { manualPages } from './html.ts'
export { findPage, PAGES, topicNames } from './pages.ts'
