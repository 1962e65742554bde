export { foldPools } from './agents.ts'
export { CONCERNS } from './attention.ts'
export { beadOfId } from './beads.ts'
export { cityActions } from './city-actions.ts'
export { amount, limitOf, progressBar, sparkLine } from './figures.ts'
export { matchesFilter } from './matching.ts'
export {
  type Action,
  type Band,
  type Cell,
  type Column,
  type Field,
  type Jump,
  type Line,
  type Location,
  type Machine,
  type Outcome,
  type OverviewPage,
  type Page,
  type PageEvent,
  type PanelColumn,
  PREVIEW,
  type Reach,
  type Row,
  type Slice,
  type TablePage,
  type TextContent,
  type TextPage,
} from './page.ts'
export { pageOf, pages } from './pages.ts'
export { TONES, type Tone } from './tones.ts'
