import agents from './agents.txt' with { type: 'text' }
import attention from './attention.txt' with { type: 'text' }
import beads from './beads.txt' with { type: 'text' }
import budgets from './budgets.txt' with { type: 'text' }
import cities from './cities.txt' with { type: 'text' }
import environment from './environment.txt' with { type: 'text' }
import exitCodes from './exit-codes.txt' with { type: 'text' }
import formulas from './formulas.txt' with { type: 'text' }
import gettingStarted from './getting-started.txt' with { type: 'text' }
import landing from './landing.txt' with { type: 'text' }
import network from './network.txt' with { type: 'text' }
import orders from './orders.txt' with { type: 'text' }
import output from './output.txt' with { type: 'text' }
import packs from './packs.txt' with { type: 'text' }
import sessions from './sessions.txt' with { type: 'text' }

/** What `gc help <topic>` prints; the first line of each is its title. */
export const TOPICS: ReadonlyMap<string, string> = new Map([
  ['getting-started', gettingStarted],
  ...Object.entries({ cities, agents, beads, sessions, attention, budgets, packs, formulas, orders, landing, network }),
  ...Object.entries({ output, environment, 'exit-codes': exitCodes }),
])
