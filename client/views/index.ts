export { agentColumns, foldPools } from './agents.ts'
export { attentionColumns, CONCERNS } from './attention.ts'
export { beadColumns, beadOfId } from './beads.ts'
export { shortTime, shownText } from './cells.ts'
export { changeColumns } from './changes.ts'
export { cityActions } from './city-actions.ts'
export { amount, limitOf, progressBar, sparkLine } from './figures.ts'
export { headOf as landHead, landingColumns } from './landings.ts'
export { matchesFilter } from './matching.ts'
export {
  type Action,
  type Band,
  type Cell,
  type Column,
  type ColumnOf,
  confirmationOf,
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
  type SyntaxRange,
  type TablePage,
  type TextContent,
  type TextPage,
  toCell,
} from './page.ts'
export { pageOf, pages } from './pages.ts'
export { sessionColumns } from './sessions.ts'
export { actionsOnSeveral } from './several.ts'
export { TONES, type Tone } from './tones.ts'
