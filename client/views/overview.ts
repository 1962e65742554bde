import { type Band, type OverviewPage, PREVIEW } from './page.ts'

const CONCERNS: Band = { panels: ['attention'], share: 0.3, hidesWhenEmpty: true }
const LANDINGS: Band = { panels: ['landings'], share: 0.15, hidesWhenEmpty: true }
const LISTS: readonly Band[] = [
  CONCERNS,
  LANDINGS,
  { panels: ['sessions'], share: 0.4 },
  { panels: ['beads'], share: 0.4 },
]
const BESIDE: readonly Band[] = [
  { panels: [PREVIEW], share: 0.6 },
  { panels: ['agents'], share: 0.4 },
]
const ACTIVITY: readonly Band[] = [
  { panels: ['agents'], share: 0.4 },
  { panels: ['events'], share: 0.6 },
]

/** One city: attention items first, then its queue of landings, its sessions and its work; with room, details, agents and live events. */
export const overviewPage: OverviewPage = {
  kind: 'overview',
  name: 'overview',
  title: 'overview',
  help: 'the city at a glance',
  isChangedBy: () => false,
  hasCounts: true,
  bands: LISTS,
  columns: {
    medium: [
      { share: 0.6, bands: LISTS },
      { share: 0.4, bands: BESIDE },
    ],
    wide: [
      { share: 0.47, bands: LISTS },
      { share: 0.3, bands: [{ panels: [PREVIEW], share: 1 }] },
      { share: 0.23, bands: ACTIVITY },
    ],
  },
}
