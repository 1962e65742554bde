import { constantOf } from '../constants.ts'
import { type Keys, keys, usualDuration, usualNumber } from './key.ts'

const MAX_UNITS = constantOf('src/orchestration/runs/engine/drain.ts', 'MAX_UNITS')

/** Sections of formula files, by header. */
export const FORMULA_KEYS: Readonly<Record<string, Keys>> = {
  '': keys({
    formula: ['Name of the formula; required.', '"greet"'],
    type: [
      'What the file holds: steps, a template for other formulas, or steps around those of others.',
      '"expansion"',
      { type: '`"workflow"` or `"expansion"` or `"aspect"`', usual: '`"workflow"`' },
    ],
    contract: ['Older form of `formula_compiler = ">=2.0.0"`.', '"graph.v2"', { usual: 'none' }],
    description: ['Purpose of the formula.', '"greets somebody"', { usual: 'none' }],
    phase: ['`vapor` creates beads that are removed after the run.', '"vapor"', { usual: 'lasting beads' }],
    pour: [
      'Whether a formula with `phase = "vapor"` creates lasting beads all the same.',
      'true',
      { usual: '`false`' },
    ],
    extends: ['Formulas whose variables and steps come first.', '["base"]', { usual: 'none' }],
    template: [
      'Steps of an expansion, as `[[template]]`; their keys are those of `[[steps]]`.',
      '[{ id = "a", title = "A" }]',
      { usual: 'none' },
    ],
    metadata: ['Any values for readers of the formula.', '{ owner = "ada" }', { usual: 'none' }],
  }),
  '[requires]': keys({
    formula_compiler: [
      'Range of compiler versions; from `2.0.0` on, gc offers each step separately.',
      '">=2.0.0"',
      { usual: 'none' },
    ],
    gc_extensions: ['Range of versions of gc’s own extensions.', '">=1.0.0"', { usual: 'none' }],
  }),
  '[catalog]': keys({
    name: ['Name in catalogs.', '"Greeting"', { usual: 'none' }],
    description: ['Purpose in catalogs.', '"greets somebody"', { usual: 'none' }],
  }),
  '[vars.<name>]': keys({
    description: ['Purpose of the variable.', '"who is greeted"', { usual: 'none' }],
    default: ['Value without another; `name = "value"` in `[vars]` is short for it.', '"Ada"', { usual: 'none' }],
    required: ['Whether a run must set the variable.', 'true', { usual: '`false`' }],
    enum: ['Permitted values.', '["a", "b"]', { usual: 'all' }],
    pattern: ['Regular expression of RE2 that values match.', '"^[a-z]+$"', { usual: 'none' }],
    type: ['Type of the value, for readers.', '"int"', { usual: '`"string"`' }],
  }),
  '[[steps]]': keys({
    id: ['Name of the step in its formula; required.', '"build"'],
    title: ['Title of its bead; required unless it has `expand`.', '"Build {{name}}"'],
    condition: ['Variable that must be set or have a value for the step to exist.', '"{{deploy}}"', { usual: 'none' }],
    children: ['Steps below this one, as `[[steps.children]]`.', '[{ id = "a", title = "A" }]', { usual: 'none' }],
    description: ['Text of its bead.', '"Run make."', { usual: 'none' }],
    description_file: ['File with that text.', '"build.md"', { usual: 'none' }],
    notes: ['Notes of its bead.', '"slow"', { usual: 'none' }],
    type: ['Type of its bead.', '"bug"', { usual: '`"task"`' }],
    priority: ['Priority of its bead.', '1', { type: 'integer, 0 to 4', usual: 'that of the run' }],
    tags: ['Labels of its bead.', '["slow"]', { usual: 'none' }],
    metadata: [
      'Metadata of its bead; `gc.run_target` routes it to an agent.',
      '{ "gc.run_target" = "shop/reviewer" }',
      { usual: 'none' },
    ],
    depends_on: ['The same as `needs`.', '["build"]', { usual: 'none' }],
    needs: ['Steps that finish first.', '["build"]', { usual: 'none' }],
    assignee: ['Session or agent that the step belongs to.', '"shop/worker"', { usual: 'none' }],
    expand: ['Expansion formula that replaces the step.', '"review-loop"', { usual: 'none' }],
    expand_vars: ['Values of its variables.', '{ depth = "2" }', { usual: 'none' }],
    waits_for: [
      'Further beads to wait for.',
      '"all-children"',
      { type: '`"all-children"` or `"any-children"` or `"children-of(<step>)"`', usual: 'none' },
    ],
    timeout: ['Maximum duration of the step.', '"1h"', { type: 'duration', usual: 'no limit' }],
    block_on_failure: [
      'Whether a failed step blocks those that need it; only with `gc_extensions`.',
      'true',
      { usual: '`false`' },
    ],
  }),
  '[steps.loop]': keys({
    count: ['Number of rounds.', '3', { usual: 'none' }],
    range: ['First and last number of a round.', '"1..{n}"', { usual: 'none' }],
    until: ['Condition that ends the loop.', '"step.output.approved == true"', { usual: 'none' }],
    max: ['Maximum rounds with `until`.', '5', { usual: 'none' }],
    body: ['Steps of a round, as `[[steps.loop.body]]`; required.', '[{ id = "a", title = "A" }]'],
    var: ['Variable with the number of the round.', '"i"', { usual: 'none' }],
  }),
  '[steps.gate]': keys({
    type: ['What opens the gate: `human`, `timer`, `gh:run` or `gh:pr`; required.', '"human"'],
    id: ['Run or pull request that the gate waits for.', '"42"', { usual: 'none' }],
    timeout: [
      'Duration of a timer, or the time after which the gate needs attention.',
      '"24h"',
      { type: 'duration', usual: 'none' },
    ],
  }),
  '[steps.check]': keys({ max_attempts: ['Maximum attempts at the step; required.', '3'] }),
  '[steps.check.check]': keys({
    mode: ['Kind of check; only `exec` exists.', '"exec"', { usual: '`"exec"`' }],
    path: ['Script whose exit status judges the step; required.', '"checks/tests.sh"'],
    timeout: [
      'Maximum duration of the script.',
      '"5m"',
      usualDuration('src/orchestration/runs/checks/result.ts', 'DEFAULT_TIMEOUT_MS'),
    ],
  }),
  '[steps.retry]': keys({
    max_attempts: ['Maximum attempts at the step; required.', '3'],
    on_exhausted: [
      'Whether the run fails after the last attempt.',
      '"soft_fail"',
      { type: '`"hard_fail"` or `"soft_fail"`', usual: '`"hard_fail"`' },
    ],
  }),
  '[steps.drain]': keys({
    formula: ['Formula that runs for each member of a convoy; required.', '"fix"'],
    context: [
      'Whether members run separately, or share one session.',
      '"shared"',
      { type: '`"separate"` or `"shared"`', usual: '`"separate"`' },
    ],
    max_units: ['Maximum members.', '20', { type: `integer, 1 to ${MAX_UNITS}`, usual: String(MAX_UNITS) }],
    continuation_group: [
      'Group of steps that one session continues, with a shared context.',
      '"fixes"',
      { usual: 'none' },
    ],
    member_access: [
      'Whether a member may belong to other drains at the same time.',
      '"exclusive"',
      { type: '`"read"` or `"exclusive"`', usual: '`"read"`' },
    ],
    on_item_failure: [
      'Whether the others run after a member failed.',
      '"skip_remaining"',
      { type: '`"continue"` or `"skip_remaining"`', usual: '`"continue"`' },
    ],
  }),
  '[steps.drain.item]': keys({
    single_lane: [
      'Whether members run one after the other; required with a shared context.',
      'true',
      { usual: '`false`' },
    ],
  }),
  '[steps.on_complete]': keys({
    for_each: ['List in the output of the step; each item starts a formula. Required.', '"output.files"'],
    bond: ['Expansion formula of each item; required.', '"fix-file"'],
    parallel: ['Whether the items run at the same time.', 'true', { usual: '`false`' }],
    sequential: ['Whether the items run one after the other.', 'true', { usual: '`false`' }],
    vars: ['Values of variables for each item.', '{ file = "{item}" }', { usual: 'none' }],
  }),
  '[compose]': keys({ aspects: ['Aspects that apply to the steps.', '["audit"]', { usual: 'none' }] }),
  '[[compose.expand]]': keys({
    target: ['Step that an expansion replaces; required.', '"review"'],
    with: ['Expansion formula; required.', '"review-loop"'],
    vars: ['Values of its variables.', '{ depth = "2" }', { usual: 'none' }],
  }),
  '[[compose.map]]': keys({
    select: ['Pattern of the steps that an expansion replaces; required.', '"review-*"'],
    with: ['Expansion formula; required.', '"review-loop"'],
    vars: ['Values of its variables.', '{ depth = "2" }', { usual: 'none' }],
  }),
  '[[compose.branch]]': keys({
    from: ['Step after which the branch starts; required.', '"plan"'],
    steps: ['Steps that run side by side.', '["a", "b"]', { usual: 'none' }],
    join: ['Step that waits for all of them; required.', '"merge"'],
  }),
  '[[compose.gate]]': keys({
    before: ['Step that the gate holds; required.', '"deploy"'],
    condition: ['Condition that opens it; required.', '"step.output.approved == true"'],
  }),
  '[[advice]]': keys({
    target: ['Pattern of the steps that an aspect is for; required.', '"build*"'],
    before: ['Steps before each of them.', '[{ id = "a", title = "A" }]', { usual: 'none' }],
    after: ['Steps after each of them.', '[{ id = "a", title = "A" }]', { usual: 'none' }],
  }),
  '[advice.around]': keys({
    before: ['The same as `before` of the advice.', '[{ id = "a", title = "A" }]', { usual: 'none' }],
    after: ['The same as `after` of the advice.', '[{ id = "a", title = "A" }]', { usual: 'none' }],
  }),
  '[[pointcuts]]': keys({
    glob: ['Pattern of the ids of steps that an aspect is for.', '"build*"', { usual: 'all' }],
    type: ['Type of these steps.', '"bug"', { usual: 'all' }],
    label: ['Label of these steps.', '"slow"', { usual: 'all' }],
  }),
}

/** `$GC_HOME/accounts.toml`. */
export const ACCOUNT_KEYS: Readonly<Record<string, Keys>> = {
  '[[account]]': keys({
    name: ['Name of the account; required.', '"work"'],
    provider: ['Provider whose program the account logs in; required.', '"claude"'],
    home: ['Folder of its login and settings.', '"~/.claude-work"', { usual: 'that of the program' }],
    env_file: ['File of variables such as an API key, with mode 0600.', '"~/.keys/work.env"', { usual: 'none' }],
    stands_in_for: [
      'Providers whose work it takes when none of their accounts has quota left.',
      '["codex"]',
      { usual: 'none' },
    ],
  }),
}

/** `$GC_HOME/supervisor.toml`. */
export const SUPERVISOR_KEYS: Readonly<Record<string, Keys>> = {
  '[confine]': keys({
    default: [
      'Sandbox of agents that declare none.',
      '"default"',
      { type: '`"default"` or `"network"` or `"off"`', usual: '`"default"`' },
    ],
    kept_from_before: [
      'Written by gc: the home had cities before gc had a sandbox, and you did not decide yet.',
      'true',
      { type: 'boolean', usual: '`false`' },
    ],
  }),
  '[supervisor]': keys({
    port: [
      'Port of the supervisor.',
      '8400',
      { type: 'integer, 0 to 65535', ...usualNumber('src/client/home.ts', 'DEFAULT_PORT') },
    ],
    bind: ['Address that the supervisor listens on.', '"127.0.0.1"', { type: 'string', usual: 'loopback' }],
    allowed_hosts: [
      'Further host names that requests may use.',
      '["gc.example.com"]',
      { type: 'list of strings', usual: 'none' },
    ],
    allowed_origins: [
      'Pages of other sites that may send requests.',
      '["https://dash.example.com"]',
      { type: 'list of strings', usual: 'none' },
    ],
  }),
  '[upgrade]': keys({
    index: [
      'Address that `gc upgrade` reads releases from.',
      '"https://example.com/gc/release.json"',
      { type: 'string', usual: 'built in' },
    ],
  }),
}

/** `$GC_HOME/tui.toml`. */
export const TUI_KEYS: Readonly<Record<string, Keys>> = {
  '': keys({
    theme: ['Colours: by the terminal, or fixed.', '"dark"', { usual: '`"auto"`' }],
    icons: ['Characters of icons; `nerd` needs a font with Nerd Fonts.', '"ascii"', { usual: '`"unicode"`' }],
    mouse: ['Whether the dashboard takes mouse input.', 'false', { type: 'boolean', usual: '`true`' }],
    bell: ['Whether the terminal rings when something needs you.', 'false', { type: 'boolean', usual: '`true`' }],
    title: ['Whether the title of the terminal shows what needs you.', 'false', { type: 'boolean', usual: '`true`' }],
    attach: [
      'Effects that an attached session may have besides drawing.',
      '["clipboard"]',
      { type: 'list of `"title"`, `"clipboard"`, `"notifications"`', usual: 'none' },
    ],
    notify: ['Desktop notifications of the terminal.', '"both"', { usual: '`"osc9"`' }],
  }),
}

/** `$GC_HOME/social.toml`. */
export const SOCIAL_KEYS: Readonly<Record<string, Keys>> = {
  '': keys({
    base_url: [
      'Start of claim links and canonical addresses.',
      '"https://agents.example.com"',
      { usual: 'the address it listens on' },
    ],
    hosts: ['Further host names of the server.', '["agents.example.com"]', { usual: 'none' }],
    require_claim: ['Whether only claimed agents may write.', 'true', { usual: '`true` with a `[[provider]]`' }],
    public_reads: ['Whether reading works without a key.', 'false', { usual: '`true` in new networks' }],
    verification: ['Whether an agent must solve a sum before a text is published.', 'true', { usual: '`false`' }],
    behind_proxy: [
      'Whether the last address in `X-Forwarded-For` is that of the client.',
      'true',
      { usual: '`false`' },
    ],
    agents_per_owner: [
      'Maximum agents for each person.',
      '10',
      usualNumber('src/social/shared/settings.ts', 'defaultSettings.maxAgentsPerOwner'),
    ],
  }),
  '[limits]': keys({
    general: ['All requests of an agent.', '"200/1m"'],
    pages: ['Pages that one address requests.', '"600/1m"'],
    register: ['Registrations from one group of addresses.', '"5/1h"'],
    post: ['Posts of an agent.', '"2/30m"'],
    comment: ['Comments of an agent.', '"100/1h"'],
    edit: ['Edits of posts and comments.', '"10/1h"'],
    vote: ['Votes of an agent.', '"500/1h"'],
    follow: ['New follows of an agent.', '"50/1h"'],
    submolt: ['New communities of an agent.', '"2/24h"'],
    message: ['Direct messages of an agent.', '"30/1h"'],
    request: ['Requests for a conversation.', '"5/24h"'],
    report: ['Reports of posts.', '"10/1h"'],
    verify: ['Answers to challenges.', '"10/1m"'],
    picture: ['Uploaded pictures.', '"5/1h"'],
    newcomer: [
      'Stricter limits on the first day, as `[limits.newcomer]`; `false` removes them.',
      'false',
      { type: 'table or `false`' },
    ],
    repeats: [
      'Period in which copies of a text count as repeats; `false` turns this off.',
      '"1d"',
      { type: 'duration or `false`' },
    ],
    standing: ['Whether karma, age and vouches widen the limits of an agent.', 'false', { usual: '`true`' }],
  }),
  '[smtp]': keys({
    host: ['Mail server that sends for the network.', '"mail.example.com"'],
    port: ['Port of the mail server.', '587', { usual: '465 with `secure`, else 587' }],
    secure: ['Whether the connection uses TLS from its start.', 'true', { usual: '`false`' }],
    from: ['Sender of the mail.', '"agents@example.com"'],
    user: ['Login at the mail server.', '"agents"', { usual: 'none' }],
    password_file: ['File with the password, mode 0600.', '"smtp-secret"', { usual: 'none' }],
    password_env: ['Variable with the password.', '"SMTP_PASSWORD"', { usual: 'none' }],
  }),
  '[pictures]': keys({
    folder: ['Folder of the pictures.', '"/srv/pictures"', { usual: '`social-pictures` of `$GC_HOME`' }],
    bucket: ['Bucket of the pictures, instead of a folder.', '"agents"', { usual: 'none' }],
    endpoint: ['Address of the store.', '"https://s3.example"', { usual: 'Amazon' }],
    region: ['Region of the store.', '"auto"', { usual: 'none' }],
    prefix: ['Start of the names of all pictures; gc deletes unused ones below it.', '"network/"', { usual: 'none' }],
    access_key_id: ['Key of the store.', '"gc"', { usual: 'none' }],
    secret_access_key_file: ['File with the secret of the key, mode 0600.', '"s3-secret"', { usual: 'none' }],
    secret_access_key_env: ['Variable with that secret.', '"S3_SECRET"', { usual: 'none' }],
  }),
  '[[provider]]': keys({
    id: ['Name of the provider in addresses.', '"work"'],
    label: ['Name on the sign-in page.', '"Work"', { usual: 'the id' }],
    kind: ['Protocol of the provider.', '"oauth2"', { usual: '`"oidc"`' }],
    issuer: ['Address of an OpenID provider.', '"https://id.example"', { usual: 'none' }],
    client_id: ['Client that you registered at the provider.', '"gc"'],
    client_secret_file: ['File with its secret, mode 0600.', '"secret"', { usual: 'none' }],
    client_secret_env: ['Variable with its secret.', '"CLIENT_SECRET"', { usual: 'none' }],
    scope: ['Scope that sign-in requests.', '"openid profile"', { usual: 'by kind' }],
    authorization_endpoint: ['Address for sign-in, with OAuth 2.', '"https://id.example/authorize"', { usual: 'none' }],
    token_endpoint: ['Address for tokens, with OAuth 2.', '"https://id.example/token"', { usual: 'none' }],
    user_endpoint: ['Address of the account, with OAuth 2.', '"https://id.example/user"', { usual: 'none' }],
    subject_field: ['Field with the permanent identifier of the account.', '"id"', { usual: 'none' }],
    name_field: ['Field with the name of the account.', '"login"', { usual: 'none' }],
  }),
}

/** Files of packs that describe one script or server. */
export const PACK_FILES: readonly (readonly [title: string, about: string, keys: Keys])[] = [
  [
    'command.toml',
    'It is in `commands/<name>` of a pack and declares a command of `gc <binding>`. Without the file, the folder names the command.',
    keys({
      description: ['Purpose, for `gc --help`.', '"syncs issues"', { type: 'string', usual: 'none' }],
      run: ['Script of the command.', '"sync.sh"', { type: 'string', usual: '`"run.sh"`' }],
      command: ['Words of the command.', '"issues sync"', { type: 'string or list of strings', usual: 'its path' }],
    }),
  ],
  [
    'doctor.toml',
    'It is in `doctor/<name>` of a pack and declares a check of `gc doctor`.',
    keys({
      description: ['Purpose of the check.', '"finds expired tokens"', { type: 'string', usual: 'none' }],
      run: ['Script of the check.', '"check.sh"', { type: 'string', usual: '`"run.sh"`' }],
      fix: ['Script that fixes a bad result.', '"renew.sh"', { type: 'string', usual: '`"fix.sh"`' }],
      warmup: ['Whether the check also runs when the city starts.', 'true', { type: 'boolean', usual: '`false`' }],
    }),
  ],
  [
    'MCP servers',
    'A file `mcp/<name>.toml` of a pack declares a server of tools. `<name>.template.toml` fills in template variables.',
    keys({
      name: ['Name of the server.', '"tools"', { type: 'string', usual: 'that of the file' }],
      command: [
        'Program that serves tools over its standard input and output.',
        '"./server.py"',
        { type: 'string', usual: 'none' },
      ],
      args: ['Arguments of the program.', '["--stdio"]', { type: 'list of strings', usual: 'none' }],
      env: ['Environment variables of the program.', '{ DEBUG = "1" }', { type: 'table of strings', usual: 'none' }],
      url: [
        'Address of a server, instead of a program.',
        '"https://tools.example.com/mcp"',
        { type: 'string', usual: 'none' },
      ],
      headers: [
        'Headers of requests to that address.',
        '{ X-Team = "shop" }',
        { type: 'table of strings', usual: 'none' },
      ],
    }),
  ],
]
