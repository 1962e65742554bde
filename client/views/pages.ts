import { agentPage } from './agent.ts'
import { agentsPage, poolPage } from './agents.ts'
import { attentionPage } from './attention.ts'
import { beadPage } from './bead.ts'
import { beadsPage } from './beads.ts'
import { changePages } from './change.ts'
import { changesPage } from './changes.ts'
import { citiesPage } from './cities.ts'
import { configPage, packsPage } from './configuration.ts'
import { conversationPage, conversationsPage } from './conversations.ts'
import { convoyPage, convoysPage } from './convoys.ts'
import { diffPage } from './diff.ts'
import { doctorPage } from './doctor.ts'
import { eventPage } from './event.ts'
import { eventsPage } from './events.ts'
import { formulaPage, formulasPage } from './formulas.ts'
import { graphPage } from './graph.ts'
import { landingPage } from './landing.ts'
import { landingsPage } from './landings.ts'
import { logPage } from './log.ts'
import { mailPage, threadPage } from './mail.ts'
import { networkPage, postPage, profilePage } from './network.ts'
import { orderPage, orderRunPage, ordersPage } from './orders.ts'
import { overviewPage } from './overview.ts'
import type { Location, Page } from './page.ts'
import { questionPage } from './question.ts'
import { readinessPage } from './readiness.ts'
import { rigPage } from './rig.ts'
import { rigsPage, worktreesPage } from './rigs.ts'
import { runPage } from './run.ts'
import { runsPage } from './runs.ts'
import { searchPage } from './search.ts'
import { servicePage } from './service.ts'
import { servicesPage } from './services.ts'
import { sessionPage } from './session.ts'
import { sessionsPage } from './sessions.ts'
import { timelinePage } from './timeline.ts'
import { transcriptPage } from './transcript.ts'
import { accountsPage, budgetsPage, usagePage } from './usage.ts'
import { watchPage } from './watch.ts'

/** Every page of the dashboard, in the order of its help. */
export const pages: readonly Page[] = [
  citiesPage,
  overviewPage,
  attentionPage,
  questionPage,
  agentsPage,
  poolPage,
  agentPage,
  sessionsPage,
  sessionPage,
  transcriptPage,
  watchPage,
  searchPage,
  beadsPage,
  beadPage,
  convoysPage,
  convoyPage,
  runsPage,
  runPage,
  timelinePage,
  graphPage,
  formulasPage,
  formulaPage,
  ordersPage,
  orderPage,
  orderRunPage,
  servicesPage,
  servicePage,
  conversationsPage,
  conversationPage,
  mailPage,
  threadPage,
  eventsPage,
  eventPage,
  rigsPage,
  rigPage,
  worktreesPage,
  diffPage,
  changesPage,
  ...changePages,
  landingsPage,
  landingPage,
  usagePage,
  budgetsPage,
  accountsPage,
  packsPage,
  configPage,
  readinessPage,
  doctorPage,
  logPage,
  networkPage,
  postPage,
  profilePage,
]

const byName = new Map(pages.map((page) => [page.name, page]))

/** The page of a location. */
export const pageOf = ({ page }: Location): Page => byName.get(page) ?? citiesPage
