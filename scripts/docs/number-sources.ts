import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { agentBackoff, backoff } from '../../src/agents/lifecycle/plan/limits.ts'
import { LAND_DEFAULTS } from '../../src/config/land/resolve.ts'
import { resolveEventArchives, resolveMail } from '../../src/config/settings/retention.ts'
import { resolveSession } from '../../src/config/settings/session.ts'
import { type CatalogueCode, findError } from '../../src/core/error-catalogue.ts'
import { isObject } from '../../src/core/json.ts'
import { PUBLIC_CACHE } from '../../src/social/html/responses.ts'
import { defaultSettings } from '../../src/social/shared/settings.ts'
import { constantOf, versionOf } from './constants.ts'
import type { NumberSource } from './numbers.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const KB = 1024
const MB = 1024 * KB
const GB = 1024 * MB

const WORDS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve']
const ORDINALS = ['', 'first', 'second', 'third', 'fourth', 'fifth']

/** A number as a word, where it is small. */
const word = (value: number): string => WORDS[value] ?? String(value)
const ordinal = (value: number): string => ORDINALS[value] ?? `${value}th`
const status = (code: CatalogueCode): string => String(findError(code)?.status)

const manifest: unknown = JSON.parse(readFileSync(resolve(import.meta.dir, '../../package.json'), 'utf8'))
const { version, engines } = isObject(manifest) ? manifest : {}
const VERSION = String(version)
const NODE = String(isObject(engines) ? engines.node : '').replace('>=', '')

const LIFECYCLE = 'src/agents/lifecycle/plan/limits.ts'
const lifecycle = (name: string): number => constantOf(LIFECYCLE, name)
const session = resolveSession(undefined)
const mail = resolveMail(undefined)
const archives = resolveEventArchives(undefined)
/** The number of failed starts from which on a pool waits. */
const FIRST_PAUSE = [1, 2, 3, 4, 5].find((failures) => agentBackoff(failures) > 0) ?? 0
const OUTAGE = constantOf('cli/context/context.ts', 'MAX_OUTAGE_MS') / SECOND
const GIVEN_UP = constantOf('cli/io/describe-error.ts', 'TEMPORARY_FAILURE')
const PORT = String(constantOf('src/client/home.ts', 'DEFAULT_PORT'))
const RETENTION = 'src/core/events/retention.ts'
const DAEMON = 'src/config/settings/daemon.ts'
const LAND = 'src/config/land/fields.ts'
const RATE = 'src/config/webhooks/resolve.ts'
const { newcomer } = defaultSettings.limits
const newcomerLimits = newcomer === undefined ? undefined : newcomer.limits
const [CACHE_SECONDS = '', STALE_SECONDS = ''] = PUBLIC_CACHE.match(/\d+/g) ?? []
const LEASE = constantOf('src/social/limits/leased-limiter.ts', 'SHARE')

/**
 * Phrases of the pages with the numbers of the code in the places of `{}`. `npm run docs` writes them, and a test
 * fails if a page has another number, or one that is neither here, nor below, nor beside the command that measured it.
 */
export const NUMBERS: Readonly<Record<string, readonly NumberSource[]>> = {
  'README.md': [
    ['You need npm, git and Node {} or later', NODE],
    ['This is version {}.', VERSION],
  ],
  'CONTRIBUTING.md': [
    ['You need npm, git and Node {} or later', NODE],
    ['over {} % of other errors', constantOf('test/agents/states/states.test.ts', 'MAX_OTHER_ERRORS') * 100],
    ['A function has {} lines at most', constantOf('test/support/house.ts', 'MAX_FUNCTION_LINES')],
    ['split anything over {}.', constantOf('test/docs/documents.test.ts', 'MAX_LONGEST')],
    ['a verb phrase of at most {} characters', constantOf('test/cli/help.test.ts', 'MAX_DESCRIPTION')],
  ],
  '.github/SECURITY.md': [['gets fixes. That is {}.', VERSION]],
  'docs/agents.md': [
    ['commands wait up to {} s while the supervisor restarts', OUTAGE],
    ['A command that gives up after {} s exits with status {}.', OUTAGE, GIVEN_UP],
    ['`max_active_sessions` | {} |', constantOf('cli/setup/agent-settings.ts', 'DEFAULT_MAX')],
  ],
  'docs/api.md': [
    ['listens on `http://127.0.0.1:{}`', PORT],
    ['invalid or expired token gets {}, and', status('unauthorized')],
    ['Treat a refused connection, a reset and {} alike', status('service-unavailable')],
    ['its addresses answer {} with', status('city-not-found')],
    [
      'for {} hours or until a database holds {} MB of answers',
      constantOf('src/core/replays/replays.ts', 'LIFETIME_MS') / HOUR,
      constantOf('src/core/replays/replays.ts', 'MAX_BYTES') / MB,
    ],
    ['In an answer over {} KB,', constantOf('src/http/idempotency.ts', 'MAX_ANSWER') / KB],
    ['| {} `idempotency-in-flight`', status('idempotency-in-flight')],
    ['| {} `idempotency-mismatch`', status('idempotency-mismatch')],
    ['| {} `idempotency-expired`', status('idempotency-expired')],
    ['| {} `idempotency-unknown`', status('idempotency-unknown')],
    ['| {} `idempotency-secret`', status('idempotency-secret')],
  ],
  'docs/architecture.md': [
    ['A function has {} lines at most', constantOf('test/support/house.ts', 'MAX_FUNCTION_LINES')],
    ['after news {} times a second', word(SECOND / constantOf('tui/screen-view.ts', 'FRAME_MS'))],
  ],
  'docs/command-line.md': [
    ['| {} | wrong command line', constantOf('cli/io/exit.ts', 'USAGE')],
    ['| {} | in a session: the supervisor did not respond for {} s', GIVEN_UP, OUTAGE],
    ['| {} | interrupted with ctrl-c', constantOf('cli/io/exit.ts', 'INTERRUPTED')],
    ['The usual port is {},', PORT],
    [
      'most {} MB each, and the log of a session host {} KB',
      constantOf('cli/logs/log-file.ts', 'MAX_LOG_BYTES') / MB,
      constantOf('src/host/server/main.ts', 'MAX_LOG_BYTES') / KB,
    ],
  ],
  'docs/confinement.md': [
    [
      'The logs of its conversations stay for {} days',
      constantOf('src/agents/confinement/private-folders.ts', 'RETENTION_MS') / DAY,
    ],
    ['[send it](api.md#authenticate), or get {}', status('unauthorized')],
    ['For any other host the session gets {} and', status('forbidden')],
    [
      'A session may open {} connections to its proxy in a burst, then {} a second',
      constantOf('src/host/confine/broker/confined-session.ts', 'PROXY_BURST'),
      constantOf('src/host/confine/broker/confined-session.ts', 'PROXY_PER_SECOND'),
    ],
    [
      'an unlisted host waits for {} seconds while',
      constantOf('src/host/confine/network/host-consent.ts', 'PROMPT_TIMEOUT_MS') / SECOND,
    ],
  ],
  'docs/connect.md': [
    ['`http://127.0.0.1:{}/v0/city/<city>/svc/board/`', PORT],
    [
      'After {} exits in a row it appears in `gc attention`. After {} it',
      word(constantOf('src/connect/services/back-off.ts', 'FAILURES_TO_TELL')),
      word(constantOf('src/connect/services/back-off.ts', 'MAX_FAILURES')),
    ],
    [
      'Its output is in `.gc/services/<name>/logs`, {} MB at most, in two files',
      (2 * constantOf('src/connect/services/service-process.ts', 'LOG_BYTES')) / MB,
    ],
    [
      '| time until a response begins | {} seconds, or',
      constantOf('src/config/services/resolve.ts', 'RESPONSE_TIMEOUT_MS') / SECOND,
    ],
    ['| idle connection | closed after {} seconds', constantOf('src/http/timeouts.ts', 'IDLE_TIMEOUT_S')],
    ['| WebSocket message | {} MB', constantOf('src/connect/services/proxy/proxy.ts', 'MAX_MESSAGE_BYTES') / MB],
    [
      'outgoing message is one attempt of {} seconds',
      constantOf('src/connect/extmsg/outbound.ts', 'PUBLISH_TIMEOUT') / SECOND,
    ],
    [
      'A repeated delivery within {} minutes has no second effect',
      constantOf('src/connect/webhooks/receiver.ts', 'REMEMBERED_MS') / MINUTE,
    ],
    [
      'webhooks run {} commands at a time',
      word(constantOf('src/orchestration/orders/dispatch/exec-runner.ts', 'SLOTS.webhook')),
    ],
    ['`replay_window` bounds it, {} minutes', constantOf(RATE, 'DEFAULT_WINDOW_MS') / MINUTE],
    [
      'maximum deliveries per minute, {}, with bursts of {}',
      constantOf(RATE, 'DEFAULT_RATE.perMinute'),
      constantOf(RATE, 'DEFAULT_RATE.burst'),
    ],
    [
      'polls pull requests every {} minutes',
      word(constantOf('src/config/settings/monitors.ts', 'DEFAULT_INTERVAL_MS') / MINUTE),
    ],
  ],
  'docs/dashboard.md': [
    ['| below {} columns |', constantOf('tui/state/navigation.ts', 'MEDIUM')],
    ['| {} columns | the same,', constantOf('tui/state/navigation.ts', 'MEDIUM')],
    ['| {} columns | also agents', constantOf('tui/state/navigation.ts', 'WIDE')],
    // The header and the line of keys are outside of the list.
    ['details below, from {} lines', constantOf('tui/state/layout.ts', 'MIN_LINES_BELOW') + 2],
    ['The last line shows the {} keys that', word(constantOf('tui/components/footer.tsx', 'MAX_HINTS'))],
    ['tables refresh at most every {} seconds', word(constantOf('tui/data/refresh.ts', 'MAX_PAUSE_MS') / SECOND)],
    ['256 colours or more, up to {} lines', constantOf('client/views/syntax.ts', 'MAX_LINES')],
  ],
  'docs/install.md': [['You need npm, git and Node {} or later', NODE]],
  'docs/landing.md': [
    [
      '| `check_timeout` | `{}m` | maximum duration of a check, from `{}s` to `{}h`',
      LAND_DEFAULTS.checkTimeout / MINUTE,
      constantOf(LAND, 'check_timeout.min') / SECOND,
      constantOf(LAND, 'check_timeout.max') / HOUR,
    ],
    [
      '| `batch` | {} | maximum branches that are checked together, up to {} |',
      LAND_DEFAULTS.batch,
      constantOf(LAND, 'batch.max'),
    ],
    [
      '| `parallel` | {} | maximum concurrent checks of a rig, up to {},',
      LAND_DEFAULTS.parallel,
      constantOf(LAND, 'parallel.max'),
    ],
    ['| `tries` | {} | maximum attempts of an owner, up to {} |', LAND_DEFAULTS.tries, constantOf(LAND, 'tries.max')],
    [
      '| `turn_timeout` | `{}m` | time of an owner to resolve a conflict before the next one gets a turn, from `{}m` to `{}d`',
      LAND_DEFAULTS.turnTimeout / MINUTE,
      constantOf(LAND, 'turn_timeout.min') / MINUTE,
      constantOf(LAND, 'turn_timeout.max') / DAY,
    ],
    [
      'and after {} minutes in `gc attention`',
      constantOf('src/changes/landing/train.ts', 'STANDING_AFTER_MS') / MINUTE,
    ],
    ['{} days after its last landing ended', constantOf('src/changes/landing/tidying.ts', 'KEEP_MS') / DAY],
    ['its folder gone for {} days', constantOf('src/changes/landing/tidying.ts', 'KEEP_MS') / DAY],
    ['cancelled less than {} days before', constantOf('src/changes/landing/tidying.ts', 'KEEP_MS') / DAY],
    [
      'keeps the commits of a landing for {} days after it ends',
      constantOf('src/changes/landing/tidying.ts', 'KEEP_MS') / DAY,
    ],
    ['common ancestor, up to {} lines', constantOf('src/changes/landing/letter.ts', 'MAX_LINES')],
    ['check, the last {} KB of its output', constantOf('src/changes/landing/letter.ts', 'MAX_OUTPUT') / KB],
    ['of the {} files with the most', constantOf('src/changes/landing/metrics.ts', 'TOP_PATHS')],
  ],
  'docs/mail.md': [
    [
      'gc archives mail {} days after it was read, and removes it {} days later',
      mail.retentionTtl / DAY,
      mail.retentionTtl / DAY,
    ],
  ],
  'docs/network.md': [
    ['it refuses writes with {}, logs', status('service-unavailable')],
    ['| `agents_per_owner` | maximum agents per person, {} |', defaultSettings.maxAgentsPerOwner],
    [
      'Programs on this machine may register {} times as many agents',
      constantOf('src/social/limits/quotas.ts', 'LOCAL_REGISTRATIONS'),
    ],
    [
      'a post every {} hours, {} comment a minute and {} a day, {} community',
      word((newcomerLimits?.post?.[0]?.window ?? 0) / HOUR),
      word(newcomerLimits?.comment?.[0]?.count ?? 0),
      newcomerLimits?.comment?.[1]?.count ?? 0,
      word(newcomerLimits?.submolt?.[0]?.count ?? 0),
    ],
    ['near-copies of texts of the last {} days', word((defaultSettings.limits.repeats?.window ?? 0) / DAY)],
    [
      'They also hide the {} text of one form',
      ordinal(constantOf('src/social/limits/duplicates/duplicates.ts', 'SERIES') + 1),
    ],
    ['one at a time, or {} % of limits of {} and more', 100 / LEASE, 2 * LEASE],
    ['which it returns after {} second', word(constantOf('src/social/limits/leased-limiter.ts', 'KEPT_MS') / SECOND)],
    ['may cache answers to readers without a key for {} seconds, and for {} more', CACHE_SECONDS, STALE_SECONDS],
  ],
  'docs/operations.md': [
    ['writes are refused with {} and the folder', status('store-unavailable')],
    ['gc tries again every {} seconds', word(constantOf('src/core/store/trouble.ts', 'PROBE_MS') / SECOND)],
    [
      '| events | {} days or {} GiB, and always the last {} |',
      constantOf(RETENTION, 'days'),
      constantOf(RETENTION, 'bytes') / GB,
      constantOf(RETENTION, 'minEvents'),
    ],
    ['| archived events | {} days or {} GiB', archives.age / DAY, archives.bytes / GB],
    [
      '| mail | archived {} days after it was read, removed {} days later',
      mail.retentionTtl / DAY,
      mail.retentionTtl / DAY,
    ],
    [
      '| messenger conversations | the last {} messages of {} days |',
      constantOf('src/connect/extmsg/transcripts.ts', 'MAX_MESSAGES'),
      constantOf('src/connect/extmsg/external-messages.ts', 'MESSAGE_AGE') / DAY,
    ],
    [
      '| conversations of sandboxed sessions, and of ACP | {} days after',
      constantOf('src/agents/conversations/acp/retention.ts', 'RETENTION_MS') / DAY,
    ],
  ],
  'docs/orders.md': [
    [
      'An order whose last {} runs failed',
      word(constantOf('src/orchestration/orders/dispatch/failing.ts', 'MIN_FAILURES')),
    ],
  ],
  'docs/packs.md': [
    [
      'more than {} files and more than {} GB',
      constantOf('src/config/packs/tree-listing.ts', 'TREE_LIMITS.files'),
      constantOf('src/config/packs/tree-listing.ts', 'TREE_LIMITS.bytes') / GB,
    ],
    ['| an unknown command or option | status {},', constantOf('cli/io/exit.ts', 'USAGE')],
  ],
  'docs/permissions.md': [
    [
      'orders that failed {} times in a row',
      word(constantOf('src/orchestration/orders/dispatch/failing.ts', 'MIN_FAILURES')),
    ],
    ['Codex before {}, claude with', versionOf('src/programs/codex/preset.ts', 'FIRST_VERSION')],
    [
      'Codex before {}, or ACP without a folder',
      `${[0, 1].map((at) => constantOf('src/programs/protocol/permission.ts', `CODEX_NAMES_FOLDERS.${at}`)).join('.')}.0`,
    ],
    ['rejects a request without its permission with status {}', status('forbidden')],
  ],
  'docs/pools.md': [
    ['for a busy or unready program, {} min |', session.startupTimeout / MINUTE],
    ['in which crashes count together, {} h |', constantOf(DAEMON, 'HOUR') / HOUR],
    ['maximum crashes within that period, {}; 0 removes the limit', constantOf(DAEMON, 'maxRestarts')],
    [
      'restarts it after {} s, {} s, {} s and so on, up to {} min |',
      backoff(1) / SECOND,
      backoff(2) / SECOND,
      backoff(3) / SECOND,
      backoff(100) / MINUTE,
    ],
    [
      'After the {} failure in a row, new sessions wait {} s, then {}, {}, {} and {} minutes',
      ordinal(FIRST_PAUSE),
      agentBackoff(FIRST_PAUSE) / SECOND,
      ...[1, 2, 3, 4].map((further) => agentBackoff(FIRST_PAUSE + further) / MINUTE),
    ],
    ['that claims nothing within {} seconds and shows no sign of life', lifecycle('IDLE_GRACE') / SECOND],
    [
      '| {} runs in a row end within {} s, or {} within {} min | pauses the session for {} min |',
      word(lifecycle('MAX_FAILURES')),
      lifecycle('QUICK_EXIT') / SECOND,
      word(lifecycle('MAX_CHURN')),
      lifecycle('PRODUCTIVE_AFTER') / MINUTE,
      lifecycle('QUARANTINE') / MINUTE,
    ],
    ['exits immediately | waits at most {} seconds |', lifecycle('IDLE_GRACE') / SECOND],
    ['| {} sessions crash on the same bead | parks the bead', word(lifecycle('PARK_AFTER'))],
    ['until the {} time on the same bead', ordinal(lifecycle('EXPLAINED_KILLS'))],
    ['From the {} kill on, all of them count', ordinal(lifecycle('EXPLAINED_KILLS'))],
    ['the session ends within {} s without a claim', lifecycle('QUICK_EXIT') / SECOND],
  ],
  'docs/review.md': [
    ['in diffs of up to {} files', constantOf('src/changes/diffs/changed-paths.ts', 'MAX_COPIED_FILES')],
    ['One turn holds {} KB', constantOf('src/changes/review/turn.ts', 'MAX_TURN') / KB],
    [
      'notices when it removes the worktree, or within {} hours',
      constantOf('src/changes/review/tracker.ts', 'DAY_MS') / HOUR,
    ],
    ["kept for {} days in gc's own repository", constantOf('src/changes/review/tracker.ts', 'PINNED_MS') / DAY],
    ['and for the {} newest decided changes', constantOf('src/changes/review/changes.ts', 'MAX_REVIEWED')],
  ],
  'docs/security.md': [
    ['a create it is rejected with {}.', status('validation-failed')],
    ['Requests for another city get {}.', status('forbidden')],
    ['Everything else returns {}:', status('forbidden')],
    ['her next request gets {},', status('unauthorized')],
  ],
  'docs/sessions.md': [
    [
      'gc keeps the last {} KB of it when',
      constantOf('src/agents/conversations/ended/last-outputs.ts', 'MAX_LENGTH') / KB,
    ],
    ['its last run was {} days ago', constantOf('src/agents/sessions/retention.ts', 'RETENTION') / DAY],
    [
      'keeps the screen and the last {} KB of output',
      constantOf('src/host/server/terminal-session.ts', 'RING_BYTES') / KB,
    ],
    [
      'keeps up to {} MB per session, until {} days after the session was closed',
      constantOf('src/agents/conversations/acp/conversations.ts', 'MAX_BYTES_PER_SESSION') / MB,
      constantOf('src/agents/conversations/acp/retention.ts', 'RETENTION_MS') / DAY,
    ],
    ['Claims of that program last {} minutes', constantOf('src/work/claims/manager.ts', 'LEASE_MS') / MINUTE],
  ],
  'docs/troubleshooting.md': [
    ['| status {} in a session | the supervisor did not respond for {} s', GIVEN_UP, OUTAGE],
    ['| writes fail with {} |', status('store-unavailable')],
  ],
  'docs/usage.md': [
    [
      'Without a stated time it waits {} minute, and doubles that up to {} minutes',
      word(constantOf('src/agents/limits/login-limits.ts', 'MINUTE') / MINUTE),
      constantOf('src/agents/limits/login-limits.ts', 'LONGEST') / MINUTE,
    ],
  ],
  'docs/worktrees.md': [
    ['`snapshot_interval` of `[session]`, {} s by default', session.snapshotInterval / SECOND],
    ['`snapshot_max` of `[session]`, in bytes, {} by default', session.snapshotMaxBytes],
    [
      'keeps the last {} snapshots of a session, for {} days',
      constantOf('src/agents/worktrees/snapshots/snapshots.ts', 'KEPT'),
      constantOf('src/agents/worktrees/snapshots/snapshots.ts', 'KEPT_MS') / DAY,
    ],
  ],
}

/**
 * Phrases with other numbers: names of standards and products, examples, meanings of exit statuses, counts of what the
 * sentence lists, and facts about other programs. A phrase must be in its page.
 */
export const EXAMPLES_AND_NAMES: Readonly<Record<string, readonly string[]>> = {
  'README.md': ['A two-minute tour', 'needs Linux 5.13 or later'],
  'CONTRIBUTING.md': [
    'Node 20 works, but `npm ci` then warns about gc and six packages that declare Node 22',
    'Aim for 12 to 18 words',
    'in at most 72 characters',
  ],
  'docs/agents.md': ['The program needs four commands'],
  'docs/api.md': ['is refused with 415', 'A 4xx or 5xx response gives exit status 1'],
  'docs/architecture.md': ['In ten sentences', 'times a second. |', 'Three things differ'],
  'docs/command-line.md': [
    '| a budget a day for',
    '| 0 | done',
    '| 1 | rejected',
    '| 3 | `gc sling`',
    'use 0 and 1 for yes and no',
  ],
  'docs/confinement.md': [
    '| Linux 5.13 or later',
    '| Linux before 5.19',
    'must be 0 or 1',
    '(`inherited`, Linux 6.12)',
    'a second. Further ones wait',
  ],
  'docs/dashboard.md': [
    'The first run shows five keys',
    'true colour, 256, 16,',
    'terminals with 256 colours or more',
    'its own with 256 colours or more',
  ],
  'docs/getting-started.md': ['This takes three commands and about two minutes'],
  'docs/install.md': ['Node 20 also builds gc, but `npm ci` then warns about gc and six packages that declare Node 22'],
  'docs/landing.md': ['must exit with 0', 'holds changes of more than 2,000 lines'],
  'docs/network.md': [
    'has 2 to 32 letters',
    'For OAuth 2 without OpenID',
    'comment a minute and',
    'a day, one community',
    'an agent writes in a day',
    'at most once a minute while',
    '(RFC 9421)',
    '0.5 (Apache-2.0)',
    'runs three further processes',
  ],
  'docs/packs.md': ['| status 0, and one sentence', '| status 1, and one sentence'],
  'docs/permissions.md': ['such as `1,3`'],
  'docs/pools.md': ['; 0 removes the limit'],
  'docs/review.md': ['A second one fails'],
  'docs/worktrees.md': ['is snapshot 3 of'],
  'docs/security.md': ['are refused with 415'],
  'docs/sessions.md': ['Allow the first three with', 'a cgroup (v2)'],
  'docs/usage.md': ['(mode 0600)'],
}

/**
 * Sections whose figures another file counts or observed, by page and heading: a test, or an account of runs by hand
 * that the section dates.
 */
export const COUNTED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'docs/capacity.md': {
    '## Measured figures': 'npm run bench social-lists',
    '## What to add': 'npm run bench social-lists',
    '## Arithmetic for 10,000,000 agents': 'npm run bench social-lists',
  },
  'docs/dashboard.md': { '## Journeys': 'test/slow/tui-journeys.test.ts', '## Comparison': 'as of November 2026' },
  'docs/landing.md': {
    '## Pull requests': 'by hand on',
    '## What landing guarantees': '.test.ts: ',
    '## After a crash': 'npm run bench land',
  },
}
