import eventActors from '../core/events/actors.sql' with { type: 'text' }
import emitted from '../core/events/emitted.sql' with { type: 'text' }
import log from '../core/events/log.sql' with { type: 'text' }
import replaysByKey from '../core/replays/by-key.sql' with { type: 'text' }
import replaysPerCaller from '../core/replays/per-caller.sql' with { type: 'text' }
import replays from '../core/replays/table.sql' with { type: 'text' }
import requesters from '../core/requests/requester.sql' with { type: 'text' }
import requests from '../core/requests/table.sql' with { type: 'text' }
import history from './history.sql' with { type: 'text' }
import people from './people/table.sql' with { type: 'text' }
import resting from './resting.sql' with { type: 'text' }
import stopped from './stopped.sql' with { type: 'text' }
import cities from './table.sql' with { type: 'text' }
import tokens from './tokens.sql' with { type: 'text' }
import unconfined from './unconfined.sql' with { type: 'text' }

/** The schema of `supervisor.db`, oldest first. A line is never changed once released. */
export const supervisorMigrations: readonly string[] = [
  log,
  requests,
  cities,
  replays,
  replaysPerCaller,
  emitted,
  tokens,
  eventActors,
  requesters,
  history,
  stopped,
  unconfined,
  replaysByKey,
  people,
  resting,
]
