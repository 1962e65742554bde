import { constantOf } from '../constants.ts'
import { DURATION, DURATION_OR_OFF, formatDuration, type Keys, keys, usualDuration, usualNumber } from './key.ts'

const MONITORS = 'src/config/settings/monitors.ts'
const RATE = 'src/config/webhooks/resolve.ts'

/** The bounds of a duration of `[rigs.land]`, in words. */
function bounds(key: string): string {
  const [min = '', max = ''] = ['min', 'max'].map((end) =>
    formatDuration(constantOf('src/config/land/fields.ts', `${key}.${end}`)),
  )
  return `from \`${min}\` to \`${max}\``
}

const SLEEP = {
  interactive_resume: [
    'Idle time after which a session that people attach to, and that resumes its conversation, goes to sleep.',
    '"2h"',
    DURATION_OR_OFF,
  ],
  interactive_fresh: ['The same for sessions that start a new conversation each time.', '"30m"', DURATION_OR_OFF],
  noninteractive: ['The same for sessions without an attached terminal.', '"10m"', DURATION_OR_OFF],
} as const

/** Sections of `city.toml` that it alone has, by header. */
export const CITY_KEYS: Readonly<Record<string, Keys>> = {
  '': keys({
    include: [
      'Further files to read, each over the ones before; paths start at the city.',
      '["local.toml"]',
      { usual: 'none' },
    ],
  }),
  '[formulas]': keys({
    dir: ['Folder of formulas, for older files; only `formulas` is accepted.', '"formulas"', { usual: '`"formulas"`' }],
  }),
  '[workspace]': keys({
    name: ['Name of the city.', '"mill"', { usual: 'the name of its folder' }],
    prefix: ['First part of the ids of the city’s own beads.', '"ml"', { usual: 'from the name' }],
    provider: ['Provider of agents that name none.', '"claude"', { usual: 'none' }],
    start_command: ['Command of agents that have neither a command nor a provider.', '"./agent.sh"', { usual: 'none' }],
    timezone: ['IANA time zone of schedules.', '"Europe/Paris"', { usual: 'that of the machine' }],
    suspended_on_start: ['Whether the city starts suspended.', 'true', { usual: '`false`' }],
    suspended: ['Older name of `suspended_on_start`.', 'true', { usual: '`false`' }],
    max_active_sessions: ['Maximum sessions of the whole city; -1 for no limit.', '20', { usual: 'no limit' }],
    session_template: ['Template of session names; it is shown and has no effect.', '"{{.Name}}"', { usual: 'none' }],
    env: ['Environment variables of every session.', '{ NODE_ENV = "test" }', { usual: 'none' }],
    global_fragments: ['Prompt fragments that end every prompt.', '["house-rules"]', { usual: 'none' }],
    install_agent_hooks: ['Programs whose hooks gc installs for every agent.', '["claude"]', { usual: 'none' }],
    includes: [
      'Packs in the older form, without a name; write `[imports.<name>]` instead.',
      '["../packs/base"]',
      { usual: 'none' },
    ],
    default_rig_includes: [
      'Packs that new rigs include, in the older form; write `[defaults.rig.imports.<name>]` instead.',
      '["../packs/base"]',
      { usual: 'none' },
    ],
  }),
  '[daemon]': keys({
    patrol_interval: ['Time between two runs of `scale_check` and of order conditions.', '"1m"'],
    max_restarts: ['Maximum crashes within `restart_window`; 0 removes the limit.', '3'],
    restart_window: ['Period in which crashes count together.', '"30m"'],
    shutdown_timeout: ['Time that a program has to exit before gc kills it.', '"10s"'],
    drift_drain_timeout: ['Time that a session has to finish after its configuration changed.', '"5m"'],
    wisp_ttl: ['Time that closed bookkeeping beads are kept; 0 keeps them.', '"72h"'],
    wisp_gc_interval: ['Time between two removals of such beads.', '"2h"'],
    probe_concurrency: ['Maximum `scale_check` commands at the same time.', '4'],
    max_wakes_per_tick: ['Maximum sessions that start at the same time.', '3'],
    formula_v2: ['Whether formulas may be graphs with steps that gc offers one by one.', 'false'],
  }),
  '[session]': keys({
    provider: [
      'Transport of sessions: a terminal, or `acp` for the Agent Client Protocol.',
      '"acp"',
      { usual: 'a terminal' },
    ],
    setup_timeout: ['Maximum duration of each setup command.', '"1m"'],
    worktree_limit: ['Maximum worktrees of the city.', '20'],
    snapshot_max: ['Maximum bytes of a file in a snapshot of a worktree.', '50000000'],
    snapshot_interval: ['Minimum time between two snapshots of a worktree.', '"1m"'],
    startup_timeout: ['Maximum time from the start of a program until it works.', '"15m"'],
  }),
  '[session_sleep]': keys({
    interactive_resume: [...take(SLEEP.interactive_resume), { ...DURATION_OR_OFF, usual: 'never' }],
    interactive_fresh: [...take(SLEEP.interactive_fresh), { ...DURATION_OR_OFF, usual: 'never' }],
    noninteractive: [...take(SLEEP.noninteractive), { ...DURATION_OR_OFF, usual: 'never' }],
  }),
  '[rigs.session_sleep]': keys({
    interactive_resume: [...take(SLEEP.interactive_resume), { ...DURATION_OR_OFF, usual: 'that of the city' }],
    interactive_fresh: [...take(SLEEP.interactive_fresh), { ...DURATION_OR_OFF, usual: 'that of the city' }],
    noninteractive: [...take(SLEEP.noninteractive), { ...DURATION_OR_OFF, usual: 'that of the city' }],
  }),
  '[chat_sessions]': keys({
    idle_timeout: [
      'Idle time after which a session that you started ends.',
      '"4h"',
      { ...DURATION_OR_OFF, usual: 'never' },
    ],
    grace_period: ['Time that such a session runs at least.', '"30m"'],
  }),
  '[mail]': keys({
    retention_ttl: ['Time that mail is kept after it was read, and again after it was archived; 0 keeps it.', '"168h"'],
  }),
  '[events.rotation]': keys({
    archive_retain_age: ['Time that archives of events are kept; 0 keeps them.', '"2160h"'],
    archive_retain_bytes: ['Maximum bytes of all archives; 0 removes the limit.', '1000000000'],
  }),
  '[usage]': keys({ provider: ['Recorder of usage; with another value than `local`, gc records none.', '"local"'] }),
  '[webhooks]': keys({
    behind_proxy: ['Whether gc takes the sender from `X-Forwarded-For`.', 'true', { usual: '`false`' }],
  }),
  '[[webhooks.allow_public]]': keys({
    name: ['Webhook of a pack that may be public.', '"github"'],
    source: ['Source of that pack, as its import writes it.', '"https://example.com/packs.git"'],
  }),
  '[[webhooks.jwt_policy]]': keys({
    name: ['Webhook that the policy is for.', '"deploys"'],
    issuer: ['Required issuer of its tokens.', '"https://id.example.com"', { usual: 'that of the webhook' }],
    audience: ['Required audience of its tokens.', '"gc"', { usual: 'that of the webhook' }],
    jwks_url: [
      'Address of the issuer’s public keys.',
      '"https://id.example.com/jwks"',
      { usual: 'that of the webhook' },
    ],
  }),
  '[webhooks.rate_limit]': keys({
    per_minute: ['Maximum deliveries a minute for each webhook.', '600', usualNumber(RATE, 'DEFAULT_RATE.perMinute')],
    burst: ['Maximum deliveries in a burst.', '100', usualNumber(RATE, 'DEFAULT_RATE.burst')],
  }),
  '[[webhooks.rate_limit.override]]': keys({
    name: ['Webhook that the limit is for.', '"github"'],
    per_minute: ['Maximum deliveries a minute.', '60', { usual: 'that of `[webhooks.rate_limit]`' }],
    burst: ['Maximum deliveries in a burst.', '10', { usual: 'that of `[webhooks.rate_limit]`' }],
  }),
  '[orders]': keys({
    skip: ['Orders that the city does not have.', '["sweep"]', { usual: 'none' }],
    max_timeout: ['Upper limit of the timeout of every order.', '"10m"', { usual: 'no limit' }],
  }),
  '[mcp_servers.<name>]': keys({
    agents: ['Agents that get the server.', '["shop/worker"]', { usual: 'all' }],
    command: ['Program that serves tools over its standard input and output.', '"npx"', { usual: 'none' }],
    args: ['Arguments of the program.', '["-y", "my-tools"]', { usual: 'none' }],
    env: ['Environment variables of the program.', '{ DEBUG = "1" }', { usual: 'none' }],
    url: ['Address of a server, instead of a program.', '"https://tools.example.com/mcp"', { usual: 'none' }],
    type: ['Transport of a server with an address.', '"sse"', { usual: '`"http"`' }],
    headers: ['Headers of requests to a server with an address.', '{ X-Team = "shop" }', { usual: 'none' }],
  }),
  '[[rigs]]': keys({
    name: ['Name of the rig.', '"shop"'],
    path: ['Folder of the project; `.gc/site.toml` overrides it on this machine.', '"~/shop"', { usual: 'not bound' }],
    prefix: ['First part of the ids of its beads.', '"sh"', { usual: 'from the name' }],
    default_branch: ['Branch that worktrees start from.', '"main"', { usual: 'that of the remote' }],
    formulas_dir: ['Folder of the rig’s own formulas.', '"formulas"', { usual: 'none' }],
    formula_vars: ['Values of formula variables, unless a run sets others.', '{ base = "main" }', { usual: 'none' }],
    default_sling_target: ['Agent that gets beads slung without one.', '"shop/worker"', { usual: 'none' }],
    default_sling_targets: [
      'Agents of which any gets beads slung without one.',
      '["shop/a", "shop/b"]',
      { usual: 'none' },
    ],
    suspended_on_start: ['Whether the rig starts suspended.', 'true', { usual: '`false`' }],
    suspended: ['Older name of `suspended_on_start`.', 'true', { usual: '`false`' }],
    max_active_sessions: ['Maximum sessions of the rig’s agents; -1 for no limit.', '5', { usual: 'that of the city' }],
    includes: [
      'Packs in the older form, without a name; write `[rigs.imports.<name>]` instead.',
      '["../packs/web"]',
      { usual: 'none' },
    ],
  }),
  '[rigs.land]': keys({
    mode: ['How finished branches land; [landing](landing.md) describes each.', '"push"'],
    target: ['Branch that changes end up in.', '"main"', { usual: 'the default branch' }],
    remote: ['Name of the remote.', '"upstream"'],
    check: [
      'Command that must exit with 0: a list of words, or a text without quotes.',
      '["npm", "test"]',
      { usual: 'no check' },
    ],
    check_timeout: [`Maximum duration of a check, ${bounds('check_timeout')}.`, '"1h"', DURATION],
    batch: ['Maximum branches that are checked together.', '16'],
    check_early: ['Whether branches are checked while they wait for approval.', 'false'],
    confirm_red: ['Whether a failed check runs again before it blames a branch.', 'false'],
    strategy: ['One commit for each branch, or a merge commit.', '"merge"'],
    parallel: ['Maximum checks of the rig at the same time.', '4'],
    protected_paths: [
      'Paths whose changes wait for you.',
      '[".ci/**"]',
      { usual: 'CI configuration and similar files' },
    ],
    hold: ['Limits above which a change waits for you.', '["large:2000"]', { usual: 'none' }],
    tries: ['Maximum attempts of an owner at a conflict or a red check.', '5'],
    turn_timeout: [`Time of an owner to resolve a conflict, ${bounds('turn_timeout')}.`, '"1h"', DURATION],
    delete_branch: ['Whether gc deletes landed branches at the remote and in the rig.', 'true'],
    sign: ['Whether gc signs landed commits.', 'true'],
  }),
  '[[rigs.land.generated]]': keys({
    glob: ['Files that a command generates; required.', '"package-lock.json"'],
    command: [
      'Command that makes them again when they are in conflict; required.',
      '["npm", "install", "--package-lock-only"]',
    ],
  }),
  '[rigs.land.pr]': keys({
    labels: ['Labels of new pull requests.', '["gc"]', { usual: 'none' }],
    draft: ['Whether new pull requests are drafts.', 'true', { usual: '`false`' }],
  }),
  '[rigs.land.auto]': keys({
    check: ['Condition under which changes land without you; required in this table.', '"green"'],
    max_lines: ['Maximum lines that such a change adds and removes.', '200', { usual: 'no limit' }],
    paths: ['The only paths that such a change may touch.', '["docs/**"]', { usual: 'all' }],
  }),
  '[rigs.land.forge]': keys({
    kind: ['Program of the forge; `forgejo` means the same as `gitea`.', '"gitea"', { usual: 'from the remote' }],
    url: ['Address of the forge, with `https://`.', '"https://git.example.com"', { usual: 'from the remote' }],
    repository: ['Repository on the forge.', '"acme/shop"', { usual: 'from the remote' }],
  }),
  '[[github.pr_monitor]]': keys({
    name: ['Name of the monitor.', '"shop"'],
    owner: ['Owner of the repository on GitHub.', '"acme"'],
    repo: ['Name of the repository.', '"shop"'],
    base: ['Single branch, in place of `base_branches`.', '"main"', { usual: 'all' }],
    base_branches: ['Branches whose pull requests gc watches.', '["main", "release"]', { usual: 'all' }],
    rig: ['Rig of the beads for repairs.', '"shop"', { usual: 'none' }],
    poll_interval: [
      `Time between two polls, at least \`${formatDuration(constantOf(MONITORS, 'MIN_INTERVAL_MS'))}\`.`,
      '"5m"',
      usualDuration(MONITORS, 'DEFAULT_INTERVAL_MS'),
    ],
    base_url: ['Address of GitHub’s API.', '"https://github.example.com/api/v3"', { usual: 'that of GitHub' }],
    token_env: ['Variable of the supervisor’s environment with a token.', '"SHOP_TOKEN"', { usual: '`GH_TOKEN`' }],
    authors: ['Authors whose pull requests gc handles, also from forks.', '["ada"]', { usual: 'all, but no forks' }],
    notify: ['Agents, or `human`, that get mail about repairs.', '["mayor", "human"]', { usual: 'none' }],
    repair_route: ['Agent or pool that repairs pull requests.', '"shop/worker"', { usual: 'none' }],
    repair_workflow: ['Formula of a repair.', '"repair"', { usual: 'that of the agent' }],
  }),
  '[[extmsg.default_route]]': keys({
    provider: ['Messenger whose new conversations the route accepts.', '"slack"'],
    account_id: ['Account of the messenger.', '"T01"', { usual: 'all' }],
    agent: ['Named session that responds.', '"mayor"'],
  }),
}

/** The first two parts of a row. */
function take([about, example]: readonly [string, string, ...unknown[]]): [string, string] {
  return [about, example]
}
