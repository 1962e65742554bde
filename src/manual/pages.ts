import { readFileSync } from 'node:fs'
import agents from '../../docs/agents.md' with { type: 'file' }
import api from '../../docs/api.md' with { type: 'file' }
import apiReference from '../../docs/api-reference.md' with { type: 'file' }
import architecture from '../../docs/architecture.md' with { type: 'file' }
import capacity from '../../docs/capacity.md' with { type: 'file' }
import commandLine from '../../docs/command-line.md' with { type: 'file' }
import commands from '../../docs/commands.md' with { type: 'file' }
import concepts from '../../docs/concepts.md' with { type: 'file' }
import configuration from '../../docs/configuration.md' with { type: 'file' }
import confinement from '../../docs/confinement.md' with { type: 'file' }
import connect from '../../docs/connect.md' with { type: 'file' }
import dashboard from '../../docs/dashboard.md' with { type: 'file' }
import formulas from '../../docs/formulas.md' with { type: 'file' }
import gettingStarted from '../../docs/getting-started.md' with { type: 'file' }
import install from '../../docs/install.md' with { type: 'file' }
import landing from '../../docs/landing.md' with { type: 'file' }
import mail from '../../docs/mail.md' with { type: 'file' }
import movingIn from '../../docs/moving-in.md' with { type: 'file' }
import network from '../../docs/network.md' with { type: 'file' }
import networkReference from '../../docs/network-reference.md' with { type: 'file' }
import operations from '../../docs/operations.md' with { type: 'file' }
import orders from '../../docs/orders.md' with { type: 'file' }
import packs from '../../docs/packs.md' with { type: 'file' }
import permissions from '../../docs/permissions.md' with { type: 'file' }
import pools from '../../docs/pools.md' with { type: 'file' }
import index from '../../docs/README.md' with { type: 'text' }
import review from '../../docs/review.md' with { type: 'file' }
import security from '../../docs/security.md' with { type: 'file' }
import sessions from '../../docs/sessions.md' with { type: 'file' }
import troubleshooting from '../../docs/troubleshooting.md' with { type: 'file' }
import usage from '../../docs/usage.md' with { type: 'file' }
import work from '../../docs/work.md' with { type: 'file' }
import worktrees from '../../docs/worktrees.md' with { type: 'file' }

/** A page of the manual. */
export interface ManualPage {
  /** Its name in `gc help <topic>` and `/manual/<topic>`. */
  readonly topic: string
  /** The task that it helps with, as the index of the manual states it. */
  readonly about: string
  /** Its text, read on request: the references are large. */
  readonly markdown: string
}

/** The files of the pages, which the executable carries. */
const FILES: Readonly<Record<string, string>> = {
  ...{ 'getting-started': gettingStarted, 'command-line': commandLine, 'moving-in': movingIn },
  ...{ 'api-reference': apiReference, 'network-reference': networkReference, commands, configuration },
  ...{
    agents,
    api,
    architecture,
    capacity,
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
  ([, about = '', topic = '']) => ({
    ...{ topic, about },
    get markdown() {
      return readFileSync(FILES[topic] ?? '', 'utf8')
    },
  }),
)

/** Words that lead to a page with another name. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  ...{ accounts: 'usage', budgets: 'usage', cities: 'concepts', glossary: 'concepts', beads: 'work', convoys: 'work' },
  ...{ attention: 'permissions', questions: 'permissions', rules: 'permissions', sandbox: 'confinement' },
  ...{ environment: 'configuration', 'exit-codes': 'command-line', output: 'command-line', bd: 'moving-in' },
  ...{ settings: 'configuration', keys: 'configuration' },
  ...{ webhooks: 'connect', services: 'connect', messengers: 'connect', runs: 'formulas', errors: 'troubleshooting' },
}

/** The page of a topic, also under another name of it. */
export const findPage = (topic: string): ManualPage | undefined =>
  PAGES.find((page) => page.topic === (OTHER_NAMES[topic] ?? topic))

/** Every word that `findPage` knows, those of the index first. */
export const topicNames = (): string[] => [...PAGES.map(({ topic }) => topic), ...Object.keys(OTHER_NAMES)]
