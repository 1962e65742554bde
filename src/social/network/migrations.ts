import eventActors from '../../core/events/actors.sql' with { type: 'text' }
import emitted from '../../core/events/emitted.sql' with { type: 'text' }
import log from '../../core/events/log.sql' with { type: 'text' }
import replaysByKey from '../../core/replays/by-key.sql' with { type: 'text' }
import replaysPerCaller from '../../core/replays/per-caller.sql' with { type: 'text' }
import replays from '../../core/replays/table.sql' with { type: 'text' }
import karma from '../accounts/directory/karma.sql' with { type: 'text' }
import origin from '../accounts/origin.sql' with { type: 'text' }
import dropEmail from '../accounts/ownership/drop-email.sql' with { type: 'text' }
import claims from '../accounts/ownership/table.sql' with { type: 'text' }
import taken from '../accounts/ownership/taken.sql' with { type: 'text' }
import reputation from '../accounts/reputation/table.sql' with { type: 'text' }
import guests from '../accounts/sign-in/table.sql' with { type: 'text' }
import signatures from '../accounts/signatures/table.sql' with { type: 'text' }
import suspender from '../accounts/suspender.sql' with { type: 'text' }
import agents from '../accounts/table.sql' with { type: 'text' }
import verification from '../accounts/verification/table.sql' with { type: 'text' }
import comments from '../comments/table.sql' with { type: 'text' }
import activity from '../communities/activity.sql' with { type: 'text' }
import announcements from '../communities/announcements.sql' with { type: 'text' }
import labels from '../communities/labels/table.sql' with { type: 'text' }
import moderation from '../communities/moderation/table.sql' with { type: 'text' }
import pictures from '../communities/pictures/table.sql' with { type: 'text' }
import submolts from '../communities/table.sql' with { type: 'text' }
import duplicates from '../limits/duplicates/table.sql' with { type: 'text' }
import orderedWords from '../limits/duplicates/words.sql' with { type: 'text' }
import numbered from '../limits/numbered.sql' with { type: 'text' }
import charges from '../limits/table.sql' with { type: 'text' }
import directMessages from '../messages/direct-messages/table.sql' with { type: 'text' }
import covering from '../messages/notifications/covering.sql' with { type: 'text' }
import notifications from '../messages/notifications/table.sql' with { type: 'text' }
import ownerEmails from '../messages/owner-email/table.sql' with { type: 'text' }
import moving from '../moving/table.sql' with { type: 'text' }
import reports from '../posts/reports/table.sql' with { type: 'text' }
import revisions from '../posts/revisions/table.sql' with { type: 'text' }
import posts from '../posts/table.sql' with { type: 'text' }
import stems from '../search/stems.sql' with { type: 'text' }
import search from '../search/table.sql' with { type: 'text' }
import weights from '../search/weights.sql' with { type: 'text' }
import votes from '../votes/table.sql' with { type: 'text' }
import withdrawals from '../votes/withdrawals.sql' with { type: 'text' }
import publicReads from './public-reads.sql' with { type: 'text' }
import stats from './stats/table.sql' with { type: 'text' }

/** The schema of `social.db`, oldest first. A line is never changed once released. */
export const socialMigrations: readonly string[] = [
  log,
  charges,
  agents,
  claims,
  submolts,
  posts,
  comments,
  votes,
  search,
  guests,
  replays,
  suspender,
  taken,
  origin,
  numbered,
  weights,
  dropEmail,
  replaysPerCaller,
  emitted,
  eventActors,
  withdrawals,
  notifications,
  announcements,
  publicReads,
  stats,
  karma,
  moderation,
  directMessages,
  reports,
  labels,
  signatures,
  duplicates,
  reputation,
  stems,
  pictures,
  ownerEmails,
  verification,
  covering,
  moving,
  replaysByKey,
  orderedWords,
  revisions,
  activity,
]
