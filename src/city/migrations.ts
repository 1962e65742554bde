import log from '../core/events/log.sql' with { type: 'text' }
import replays from '../core/replays.sql' with { type: 'text' }
import requests from '../core/requests.sql' with { type: 'text' }
import acp from './acp/table.sql' with { type: 'text' }
import beadCounts from './beads/counts.sql' with { type: 'text' }
import labelCounts from './beads/label-counts.sql' with { type: 'text' }
import revisions from './beads/revisions.sql' with { type: 'text' }
import beads from './beads/table.sql' with { type: 'text' }
import budgets from './budgets/table.sql' with { type: 'text' }
import claims from './claims/table.sql' with { type: 'text' }
import comments from './comments/table.sql' with { type: 'text' }
import suspensions from './config/table.sql' with { type: 'text' }
import mailRetention from './mail/retention.sql' with { type: 'text' }
import mail from './mail/table.sql' with { type: 'text' }
import maintenance from './maintenance/table.sql' with { type: 'text' }
import rigs from './rigs/table.sql' with { type: 'text' }
import search from './search/table.sql' with { type: 'text' }
import sessionHistory from './sessions/history.sql' with { type: 'text' }
import sessions from './sessions/table.sql' with { type: 'text' }
import transcripts from './transcripts/table.sql' with { type: 'text' }
import usagePlaces from './usage/places.sql' with { type: 'text' }
import usage from './usage/table.sql' with { type: 'text' }
import waits from './waits/table.sql' with { type: 'text' }
import worktrees from './worktrees/table.sql' with { type: 'text' }

/** The schema of `city.db`, oldest first. A line is never changed once released. */
export const cityMigrations: readonly string[] = [
  log,
  requests,
  suspensions,
  beads,
  comments,
  search,
  claims,
  rigs,
  sessions,
  mail,
  waits,
  replays,
  maintenance,
  worktrees,
  acp,
  transcripts,
  usage,
  budgets,
  mailRetention,
  sessionHistory,
  usagePlaces,
  beadCounts,
  revisions,
  labelCounts,
]
