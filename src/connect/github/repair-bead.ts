import type { PullRequestMonitorConfig } from '../../config/github/monitor.ts'
import type { OpenPullRequest } from './open-pull-requests.ts'
import type { FailureKind, Readiness } from './readiness.ts'

/** A pull request that cannot be merged, and why. */
export interface FailedPullRequest {
  readonly monitor: PullRequestMonitorConfig
  readonly pull: OpenPullRequest
  readonly readiness: Readiness
}

const MAX_TITLE = 200

const REASONS: Readonly<Record<FailureKind, string>> = {
  checks_failed: 'checks failed',
  merge_conflict: 'it conflicts with its base',
  behind_base: 'it is behind its base',
  blocked: 'GitHub blocks its merge',
}
const STATES: Readonly<Record<FailureKind, string>> = {
  ...{ checks_failed: 'failed', merge_conflict: 'conflicted', behind_base: 'behind', blocked: 'blocked' },
}

export const REPAIR_LABELS = ['github', 'ci', 'repair', 'pr-monitor']

/** `owner/name#12`. */
export const pullRequestName = ({ owner, repo }: PullRequestMonitorConfig, { number }: { number: number }): string =>
  `${owner}/${repo}#${number}`

/** Why a pull request needs a repair. */
export const reasonOf = ({ kind }: Readiness): string => (kind === undefined ? '' : REASONS[kind])

export const repairTitle = ({ monitor, pull }: FailedPullRequest): string =>
  `Repair ${pullRequestName(monitor, pull)}: ${pull.title}`.slice(0, MAX_TITLE).toWellFormed()

/** What is known of a pull request, as its repair and mail about it say it. */
export function repairText({ monitor, pull, readiness }: FailedPullRequest): string {
  const { failedChecks, pendingChecks } = readiness
  const list = (title: string, names: readonly string[]) =>
    names.length === 0 ? [] : ['', `${title}:`, ...names.map((name) => `- ${name}`)]
  return [
    `Pull request ${pullRequestName(monitor, pull)} cannot be merged: ${reasonOf(readiness)}.`,
    '',
    `Title: ${pull.title}`,
    `Address: ${pull.url}`,
    `Author: ${pull.author}`,
    `Branch: ${pull.head} at ${pull.headSha}, for ${pull.base}`,
    `GitHub calls it: ${pull.mergeState}`,
    ...list('Failed checks', failedChecks),
    ...list('Checks that still run', pendingChecks),
  ].join('\n')
}

/** The metadata of a repair: which pull request it is for, and what is known of it. */
export function repairMetadata({ monitor, pull, readiness }: FailedPullRequest): Record<string, string> {
  const { owner, repo, name } = monitor
  const { kind, failedChecks, pendingChecks } = readiness
  return {
    source: 'github-pr-monitor',
    ...{ 'github.monitor': name, 'github.owner': owner, 'github.repo': repo, 'github.pr': String(pull.number) },
    ...{ 'github.url': pull.url, 'github.base': pull.base, 'github.head': pull.head, 'github.head_sha': pull.headSha },
    ...(kind !== undefined && { 'github.failure_kind': kind, 'github.state': STATES[kind] }),
    'github.merge_state_status': pull.mergeState,
    'github.failed_checks': failedChecks.join('\n'),
    'github.pending_checks': pendingChecks.join('\n'),
  }
}

/** What the formula of a repair is told. */
export const repairVariables = (bead: string, title: string, metadata: Readonly<Record<string, string>>) => ({
  ...{ bead, bead_id: bead, title, pr: metadata['github.pr'] ?? '', branch: metadata['github.head'] ?? '' },
  repo: `${metadata['github.owner']}/${metadata['github.repo']}`,
})
