import { agentsPage } from './agents.ts'
import { attentionPage } from './attention.ts'
import { beadPage } from './bead.ts'
import { beadsPage } from './beads.ts'
import { citiesPage } from './cities.ts'
import { eventsPage } from './events.ts'
import { overviewPage } from './overview.ts'
import type { Location, Page } from './page.ts'
import { questionPage } from './question.ts'
import { sessionPage } from './session.ts'
import { sessionsPage } from './sessions.ts'

/** Every page of the dashboard, in the order of its help. */
export const pages: readonly Page[] = [
  citiesPage,
  overviewPage,
  attentionPage,
  questionPage,
  agentsPage,
  sessionsPage,
  sessionPage,
  beadsPage,
  beadPage,
  eventsPage,
]

const byName = new Map(pages.map((page) => [page.name, page]))

/** The page of a location. */
export const pageOf = ({ page }: Location): Page => byName.get(page) ?? citiesPage
