import type { OverviewPage } from './page.ts'

/** One city: what waits for a person, its agents beside its sessions, its work, its live events. */
export const overviewPage: OverviewPage = {
  kind: 'overview',
  name: 'overview',
  title: 'overview',
  help: 'the city at a glance',
  isChangedBy: () => false,
  bands: [
    { panels: ['attention'], share: 0.2, hidesWhenEmpty: true },
    { panels: ['agents', 'sessions'], share: 0.3 },
    { panels: ['beads'], share: 0.3 },
    { panels: ['events'], share: 0.2 },
  ],
}
