import attentionAnswering from '../../agents/attention/answering.sql' with { type: 'text' }
import attention from '../../agents/attention/table.sql' with { type: 'text' }
import confinedSessions from '../../agents/confinement/confined.sql' with { type: 'text' }
import sessionTraffic from '../../agents/confinement/traffic/table.sql' with { type: 'text' }
import dropAcpMode from '../../agents/conversations/acp/drop-mode.sql' with { type: 'text' }
import acp from '../../agents/conversations/acp/table.sql' with { type: 'text' }
import lastOutputs from '../../agents/conversations/ended/table.sql' with { type: 'text' }
import sessionLogs from '../../agents/conversations/tracking/logs.sql' with { type: 'text' }
import transcripts from '../../agents/conversations/tracking/sessions-folder.sql' with { type: 'text' }
import detachedProcesses from '../../agents/lifecycle/detached/table.sql' with { type: 'text' }
import startFailures from '../../agents/lifecycle/plan/start-failures.sql' with { type: 'text' }
import loginLimits from '../../agents/limits/table.sql' with { type: 'text' }
import networkAccounts from '../../agents/network/table.sql' with { type: 'text' }
import projectFiles from '../../agents/project-files/table.sql' with { type: 'text' }
import questions from '../../agents/questions/table.sql' with { type: 'text' }
import questionsTakenOver from '../../agents/questions/taken-over.sql' with { type: 'text' }
import usageAnswers from '../../agents/usage/answers.sql' with { type: 'text' }
import usageReports from '../../agents/usage/budgets/reports.sql' with { type: 'text' }
import budgetStrictness from '../../agents/usage/budgets/strictness.sql' with { type: 'text' }
import budgets from '../../agents/usage/budgets/table.sql' with { type: 'text' }
import usageBySession from '../../agents/usage/by-session.sql' with { type: 'text' }
import usageDays from '../../agents/usage/days.sql' with { type: 'text' }
import usagePlaces from '../../agents/usage/places.sql' with { type: 'text' }
import usage from '../../agents/usage/table.sql' with { type: 'text' }
import usageAssumed from '../../agents/usage/unpriced.sql' with { type: 'text' }
import worktreeClones from '../../agents/worktrees/clones.sql' with { type: 'text' }
import worktrees from '../../agents/worktrees/table.sql' with { type: 'text' }
import landedBranches from '../../changes/landing/branches.sql' with { type: 'text' }
import landingDurations from '../../changes/landing/durations.sql' with { type: 'text' }
import landingLetters from '../../changes/landing/letters.sql' with { type: 'text' }
import landingPullRequests from '../../changes/landing/pull-requests.sql' with { type: 'text' }
import landingResolutions from '../../changes/landing/resolutions.sql' with { type: 'text' }
import landings from '../../changes/landing/table.sql' with { type: 'text' }
import landingTrials from '../../changes/landing/trials.sql' with { type: 'text' }
import changesInReview from '../../changes/review/in-review.sql' with { type: 'text' }
import changes from '../../changes/review/table.sql' with { type: 'text' }
import changeTotals from '../../changes/review/totals.sql' with { type: 'text' }
import failedClones from '../../config/rig-api/failed.sql' with { type: 'text' }
import rigRequesters from '../../config/rig-api/requester.sql' with { type: 'text' }
import rigs from '../../config/rig-api/table.sql' with { type: 'text' }
import suspensions from '../../config/suspensions/table.sql' with { type: 'text' }
import externalMessages from '../../connect/extmsg/table.sql' with { type: 'text' }
import undeliveredMessages from '../../connect/extmsg/undelivered.sql' with { type: 'text' }
import pullRequestReadiness from '../../connect/github/readiness.sql' with { type: 'text' }
import pullRequestCursors from '../../connect/github/table.sql' with { type: 'text' }
import services from '../../connect/services/table.sql' with { type: 'text' }
import webhookDeliveries from '../../connect/webhooks/table.sql' with { type: 'text' }
import eventActors from '../../core/events/actors.sql' with { type: 'text' }
import emitted from '../../core/events/emitted.sql' with { type: 'text' }
import log from '../../core/events/log.sql' with { type: 'text' }
import replaysByKey from '../../core/replays/by-key.sql' with { type: 'text' }
import replaysPerCaller from '../../core/replays/per-caller.sql' with { type: 'text' }
import replays from '../../core/replays/table.sql' with { type: 'text' }
import requesters from '../../core/requests/requester.sql' with { type: 'text' }
import requests from '../../core/requests/table.sql' with { type: 'text' }
import orderCursor from '../../orchestration/orders/dispatch/cursor.sql' with { type: 'text' }
import orderSchedules from '../../orchestration/orders/dispatch/schedule-since.sql' with { type: 'text' }
import orderStarting from '../../orchestration/orders/dispatch/starting.sql' with { type: 'text' }
import orderRuns from '../../orchestration/orders/dispatch/table.sql' with { type: 'text' }
import orderFeed from '../../orchestration/orders/history/feed.sql' with { type: 'text' }
import orderRunLabels from '../../orchestration/orders/history/run-labels.sql' with { type: 'text' }
import runSessions from '../../orchestration/runs/affinity.sql' with { type: 'text' }
import runSessionTargets from '../../orchestration/runs/affinity-targets.sql' with { type: 'text' }
import checks from '../../orchestration/runs/checks/table.sql' with { type: 'text' }
import drains from '../../orchestration/runs/drain/table.sql' with { type: 'text' }
import openScopes from '../../orchestration/runs/engine/scopes.sql' with { type: 'text' }
import stepTimeouts from '../../orchestration/runs/engine/table.sql' with { type: 'text' }
import runFailures from '../../orchestration/runs/failures.sql' with { type: 'text' }
import runGuards from '../../orchestration/runs/guards.sql' with { type: 'text' }
import runHolds from '../../orchestration/runs/holds.sql' with { type: 'text' }
import instantiations from '../../orchestration/runs/instantiate/table.sql' with { type: 'text' }
import wispRetention from '../../orchestration/runs/molecules/retention.sql' with { type: 'text' }
import runParents from '../../orchestration/runs/parents.sql' with { type: 'text' }
import runRestarts from '../../orchestration/runs/restarts.sql' with { type: 'text' }
import launches from '../../orchestration/runs/sling/launches.sql' with { type: 'text' }
import runs from '../../orchestration/runs/table.sql' with { type: 'text' }
import blockers from '../../work/beads/blockers.sql' with { type: 'text' }
import bulk from '../../work/beads/bulk.sql' with { type: 'text' }
import beadCounts from '../../work/beads/counts.sql' with { type: 'text' }
import givenDates from '../../work/beads/given.sql' with { type: 'text' }
import labelCounts from '../../work/beads/label-counts.sql' with { type: 'text' }
import listed from '../../work/beads/listed.sql' with { type: 'text' }
import beadOutputs from '../../work/beads/outputs.sql' with { type: 'text' }
import revisions from '../../work/beads/revisions.sql' with { type: 'text' }
import beads from '../../work/beads/table.sql' with { type: 'text' }
import dropHostedClaims from '../../work/claims/drop-hosted.sql' with { type: 'text' }
import claims from '../../work/claims/table.sql' with { type: 'text' }
import comments from '../../work/comments/table.sql' with { type: 'text' }
import mailRetention from '../../work/mail/retention.sql' with { type: 'text' }
import mail from '../../work/mail/table.sql' with { type: 'text' }
import search from '../../work/search/table.sql' with { type: 'text' }
import dropUnreadMessageColumns from '../../work/sessions/drop-unread.sql' with { type: 'text' }
import sessionHistory from '../../work/sessions/history.sql' with { type: 'text' }
import messageSenders from '../../work/sessions/sender.sql' with { type: 'text' }
import sessions from '../../work/sessions/table.sql' with { type: 'text' }
import waits from '../../work/waits/table.sql' with { type: 'text' }
import maintenance from '../maintenance/table.sql' with { type: 'text' }

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
  dropAcpMode,
  dropUnreadMessageColumns,
  dropHostedClaims,
  replaysPerCaller,
  emitted,
  startFailures,
  detachedProcesses,
  eventActors,
  requesters,
  rigRequesters,
  messageSenders,
  loginLimits,
  attention,
  listed,
  usageAssumed,
  bulk,
  questions,
  projectFiles,
  questionsTakenOver,
  runs,
  instantiations,
  networkAccounts,
  checks,
  failedClones,
  runHolds,
  orderRuns,
  drains,
  externalMessages,
  stepTimeouts,
  orderFeed,
  webhookDeliveries,
  services,
  orderCursor,
  usageBySession,
  runGuards,
  openScopes,
  runSessions,
  wispRetention,
  pullRequestCursors,
  budgetStrictness,
  usageReports,
  runParents,
  orderStarting,
  usageDays,
  runRestarts,
  beadOutputs,
  worktreeClones,
  sessionTraffic,
  confinedSessions,
  pullRequestReadiness,
  undeliveredMessages,
  blockers,
  sessionLogs,
  usageAnswers,
  givenDates,
  runFailures,
  launches,
  replaysByKey,
  runSessionTargets,
  orderSchedules,
  attentionAnswering,
  orderRunLabels,
  lastOutputs,
  changes,
  landings,
  landingPullRequests,
  landingLetters,
  landedBranches,
  changeTotals,
  landingTrials,
  changesInReview,
  landingResolutions,
  landingDurations,
]
