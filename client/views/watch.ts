import type { OverviewPage } from './page.ts'

/** A session from both sides: its screen beside its conversation. */
export const watchPage: OverviewPage = {
  kind: 'overview',
  name: 'watch',
  about: 'session',
  title: 'watch',
  help: 'the live screen of a session beside its conversation',
  isChangedBy: () => false,
  bands: [{ panels: ['session', 'transcript'], share: 1 }],
}
