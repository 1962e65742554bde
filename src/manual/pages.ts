import agents from '../../docs/agents.md' with { type: 'text' }
import api from '../../docs/api.md' with { type: 'text' }
import architecture from '../../docs/architecture.md' with { type: 'text' }
import commandLine from '../../docs/command-line.md' with { type: 'text' }
import concepts from '../../docs/concepts.md' with { type: 'text' }
import confinement from '../../docs/confinement.md' with { type: 'text' }
import connect from '../../docs/connect.md' with { type: 'text' }
import dashboard from '../../docs/dashboard.md' with { type: 'text' }
import formulas from '../../docs/formulas.md' with { type: 'text' }
import gettingStarted from '../../docs/getting-started.md' with { type: 'text' }
import install from '../../docs/install.md' with { type: 'text' }
import landing from '../../docs/landing.md' with { type: 'text' }
import mail from '../../docs/mail.md' with { type: 'text' }
import movingIn from '../../docs/moving-in.md' with { type: 'text' }
import network from '../../docs/network.md' with { type: 'text' }
import operations from '../../docs/operations.md' with { type: 'text' }
import orders from '../../docs/orders.md' with { type: 'text' }
import packs from '../../docs/packs.md' with { type: 'text' }
import permissions from '../../docs/permissions.md' with { type: 'text' }
import pools from '../../docs/pools.md' with { type: 'text' }
import index from '../../docs/README.md' with { type: 'text' }
import review from '../../docs/review.md' with { type: 'text' }
import security from '../../docs/security.md' with { type: 'text' }
import sessions from '../../docs/sessions.md' with { type: 'text' }
import troubleshooting from '../../docs/troubleshooting.md' with { type: 'text' }
import usage from '../../docs/usage.md' with { type: 'text' }
import work from '../../docs/work.md' with { type: 'text' }
import worktrees from '../../docs/worktrees.md' with { type: 'text' }

/** A page of the manual. */
export interface ManualPage {
  /** Its name in `gc help <topic>` and `/manual/<topic>`. */
  readonly topic: string
  /** The task that it helps with, as the index of the manual states it. */
  readonly about: string
  readonly markdown: string
}

const TEXTS: Readonly<Record<string, string>> = {
  ...{ 'getting-started': gettingStarted, 'command-line': commandLine, 'moving-in': movingIn },
  ...{
    agents,
    api,
    architecture,
    concepts,
    confinement,
    connect,
    dashboard,
    formulas,
    install,
    landing,
    mail,
    network,
  },
  ...{
    operations,
    orders,
    packs,
    permissions,
    pools,
    review,
    security,
    sessions,
    troubleshooting,
    usage,
    work,
    worktrees,
  },
}

/** The pages of the manual, in the order of its index. */
export const PAGES: readonly ManualPage[] = [...index.matchAll(/^\| (.+) \| \[[^\]]+\]\(([a-z-]+)\.md\) \|$/gm)].map(
  ([, about = '', topic = '']) => ({ topic, about, markdown: TEXTS[topic] ?? '' }),
)

/** Words that lead to a page with another name. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  ...{ accounts: 'usage', budgets: 'usage', cities: 'concepts', glossary: 'concepts', beads: 'work', convoys: 'work' },
  ...{ attention: 'permissions', questions: 'permissions', rules: 'permissions', sandbox: 'confinement' },
  ...{ environment: 'command-line', 'exit-codes': 'command-line', output: 'command-line', bd: 'moving-in' },
  ...{ webhooks: 'connect', services: 'connect', messengers: 'connect', runs: 'formulas', errors: 'troubleshooting' },
}

/** The page of a topic, also under another name of it. */
export const findPage = (topic: string): ManualPage | undefined =>
  PAGES.find((page) => page.topic === (OTHER_NAMES[topic] ?? topic))

/** Every word that `findPage` knows, those of the index first. */
export const topicNames = (): string[] => [...PAGES.map(({ topic }) => topic), ...Object.keys(OTHER_NAMES)]
