/**
 * The commands of a program in two lists. Those that are allowed are gc's own protocol: programs of sessions run them
 * without asking, with the options that are named here. An option with a value ends in `=`. `[]` says that a command is
 * allowed without arguments only, since those name other sessions.
 */
export interface CommandList {
  /** The options of every command. */
  readonly options: string
  readonly allowed: Readonly<Record<string, string>>
  /** The other options of allowed commands: they name a file, act on what others have, or do not end. */
  readonly askedOptions: string
  /** The other commands, each with all that are below it. */
  readonly asked: string
}

const JSON_OPTIONS = '--json --fields= --format='
const FILTERS =
  '-n= --limit= -t= --type= -l= --label= --label-any= -a= --assignee= -u --unassigned --no-assignee -p= --priority= --parent= ' +
  '--exclude-type= --exclude-label= --metadata-field= --has-metadata-key= --mol-type= --include-ephemeral '
const LIST_FILTERS =
  '--all --ready --include-infra --include-gates --search= --title-contains= --desc-contains= --notes-contains= ' +
  '--created-after= --created-before= --updated-after= --updated-before= --closed-after= --closed-before= --defer-after= ' +
  '--defer-before= --due-after= --due-before= --deferred --overdue --id= --title= --meta= --created-by= --spec= ' +
  '--wisp-type= --no-labels --no-parent --root --pinned --no-pinned --priority-min= --priority-max= --label-pattern= ' +
  '--label-regex= --empty-description '
const TEXTS =
  '-d= --description= --desc= --stdin --notes= --append-notes= --note= --design= --acceptance= --context= ' +
  '--external-ref= --spec-id= -e= --estimate= --due= --skills= --mol-type= --wisp-type= --await-id= --metadata= ' +
  '--set-metadata= --meta= --session= --history --no-history --allow-empty-description --event-actor= ' +
  '--event-category= --event-payload= --event-target= '
const GC_BEAD = `${JSON_OPTIONS} --description= --type= --priority= --assignee= --label= --metadata= --parent=`

/** The commands of `gc`. */
export const GC_COMMANDS: CommandList = {
  options: '--rig= -h --help',
  allowed: {
    hook: '--claim --drain-ack --inject --json',
    prime: '--agent= --strict --hook --hook-format= --json',
    handoff: '-s= --subject= -m= --message= --auto --hook-format= --json',
    'runtime drain-ack': `[] ${JSON_OPTIONS}`,
    'runtime drain-check': `[] ${JSON_OPTIONS}`,
    'runtime heartbeat': `${JSON_OPTIONS} --duration=`,
    'runtime request-restart': `${JSON_OPTIONS} --fresh`,
    'mail send': `${JSON_OPTIONS} -s= --subject= -m= --message= --to= --from= --human --all --notify`,
    'mail reply': `${JSON_OPTIONS} -s= --subject= -m= --message= --from= --notify`,
    'mail inbox': `${JSON_OPTIONS} -u --unread --address= --limit=`,
    'mail list': `${JSON_OPTIONS} --to= --agent= --all --limit=`,
    'mail threads': `${JSON_OPTIONS} --limit=`,
    'mail read': JSON_OPTIONS,
    'mail peek': JSON_OPTIONS,
    'mail thread': JSON_OPTIONS,
    'mail count': JSON_OPTIONS,
    'mail check': `${JSON_OPTIONS} --inject --hook-format=`,
    'mail mark-read': JSON_OPTIONS,
    'mail mark-unread': JSON_OPTIONS,
    'mail archive': JSON_OPTIONS,
    'mail delete': JSON_OPTIONS,
    'nudge drain': '--inject --hook-format=',
    'nudge poll': '--inject --hook-format=',
    'wait create': `${JSON_OPTIONS} --any --note= --until=`,
    'wait list': `${JSON_OPTIONS} --session= --state=`,
    'wait inspect': JSON_OPTIONS,
    'wait show': JSON_OPTIONS,
    status: JSON_OPTIONS,
    ready: `${JSON_OPTIONS} ${FILTERS} -s= --status= --sort=`,
    graph: `${JSON_OPTIONS} --tree --mermaid`,
    'bead list': `${JSON_OPTIONS} --status= --type= --label= --assignee= --all --limit=`,
    'bead ready': JSON_OPTIONS,
    'bead show': JSON_OPTIONS,
    'bead create': `${GC_BEAD} --needs= --defer-until=`,
    'bead update': `${GC_BEAD} --title= --status= --remove-label=`,
    'bead close': `${JSON_OPTIONS} --reason=`,
    'bead reopen': JSON_OPTIONS,
    'bead assign': JSON_OPTIONS,
    'bead dep add': `${JSON_OPTIONS} --type=`,
    'bead dep list': JSON_OPTIONS,
    'bead dep remove': JSON_OPTIONS,
    'bead graph': JSON_OPTIONS,
    'bead search': `${JSON_OPTIONS} --status= --type= --limit=`,
    'bead comment': JSON_OPTIONS,
    'bead comments': JSON_OPTIONS,
    'bead history': `${JSON_OPTIONS} --limit=`,
    'beads list': `${JSON_OPTIONS} --label= --status= --all`,
    'beads show': JSON_OPTIONS,
    'review list': `${JSON_OPTIONS} --state= --agent= --bead= --limit= --cursor=`,
    'review show': JSON_OPTIONS,
    'review diff': `${JSON_OPTIONS} --stat --path= --since-last --since-round= --since=`,
    'review reply': `${JSON_OPTIONS} --text=`,
    'convoy list': `${JSON_OPTIONS} --all --limit=`,
    'convoy show': JSON_OPTIONS,
    'convoy status': JSON_OPTIONS,
    'land submit': `${JSON_OPTIONS} --bead=`,
    'land status': JSON_OPTIONS,
    'land show': JSON_OPTIONS,
    'land log': JSON_OPTIONS,
    'land give-up': `${JSON_OPTIONS} --reason= --why=`,
    version: '--json -l --long',
    help: '',
  },
  askedOptions: `-w --watch --file= --force --target= --licenses --session= --to= --from= --subject-prefix=
    --subject-contains= --empty-body --include-read --all-recipients --limit= --dry-run --branch=`,
  asked: `confine, people, rule, serve, down, host, dashboard, tui, up, supervisor, logs, upgrade, uninstall, init, cities, register,
    unregister, suspend, resume, start, stop, restart, city, backup, restore, config, import, pack, service, lint, reload,
    doctor, sling, bead unpark, bead delete, bead export, bead import, formula, run, order, workflow, convoy create,
    convoy add, convoy remove, convoy close, convoy delete, convoy check, convoy delete-source, convoy reopen-source,
    convoy control, review comment, review edit, review remove, review ask, review approve, review discard,
    convoy land, convoy target, convoy stranded, convoy autoclose, extmsg, webhook, wait ready,
    wait cancel, events, event, rig, agent, session, skill, usage, costs, budget, account, limits, readiness, attention,
    nudge status, nudge show, worktree, land retry, land cancel, land hold, land release, land pause, land resume, social, hook run, hook permission, hook protocol, runtime drain, runtime undrain, runtime check,
    runtime conformance, api, openapi, completion, __complete, man, context, build-image, dolt, dolt-cleanup,
    dolt-config, dolt-state, maintenance, metrics, shell, storage, trace, wisp, agent-script, analyze, converge, github,
    login, logout, mcp, prompt, whoami`,
}

/** The commands of `bd`. */
export const BD_COMMANDS: CommandList = {
  options: '--rig= --json --readonly -q --quiet -v --verbose -h --help',
  allowed: {
    ready: `${FILTERS} -s= --claim --sort= --mol= --explain --gated --include-deferred --plain --pretty`,
    list: `${FILTERS} ${LIST_FILTERS} -s= --status= --sort= -r --reverse --prefix= --count --long --tree --pretty --format= --flat --short --no-pager --skip-labels --include-templates`,
    children: `${FILTERS} ${LIST_FILTERS} -s= --status= --sort= -r --reverse --long --tree --pretty --format= --flat --short --no-pager`,
    count: `${FILTERS} ${LIST_FILTERS} -s= --status= --by-status --by-type --by-priority --by-assignee --by-label`,
    search: `${FILTERS} ${LIST_FILTERS} -s= --status= --query= --external-contains= --long --sort= -r --reverse`,
    query: '-n= --limit= -a --all --sort= -r --reverse --long --parse-only',
    show: '--id= --current --short --children --notes --refs --thread --as-of= --long --include-comments --include-dependents --local-time',
    create: `${TEXTS} --title= -t= --type= -p= --priority= -a= --assignee= -l= --labels= --label= --parent= --deps= --waits-for= --waits-for-gate= --defer= --prefix= --ephemeral --id= --dry-run --silent --validate --no-inherit-labels`,
    q: `${TEXTS} --title= -t= --type= -p= --priority= -a= --assignee= -l= --labels= --label= --parent= --deps=`,
    update: `${TEXTS} --title= -t= --type= -p= --priority= --parent= --claim -s= --status= --if-status= -a= --assignee= --assign= --unassign --add-label= --label= --remove-label= --set-labels= --defer= --unset-metadata= --persistent --ephemeral`,
    assign: '',
    priority: '',
    note: '--stdin',
    'meta set': '',
    heartbeat: '',
    'release-if-current': '',
    close: '-r= --reason= --continue --no-auto --suggest-next --claim-next --session=',
    reopen: '-r= --reason=',
    dep: '--no-cycle-check --blocks= -b= --depends-on=',
    'dep add': '-t= --type= --depends-on= --blocked-by= --no-cycle-check',
    'dep remove': '',
    'dep list': '--direction= -t= --type=',
    'dep relate': '',
    'dep unrelate': '',
    'dep tree': '--direction= --reverse -d= --max-depth= --depth= --show-all-paths -s= --status= --format=',
    'dep cycles': '',
    link: '-t= --type=',
    relate: '',
    unrelate: '',
    comment: '--stdin',
    comments: '--local-time',
    'comments add': '--stdin -a= --author=',
    'label add': '',
    'label remove': '',
    'label list': '',
    'label list-all': '',
    tag: '',
    blocked: '--parent=',
    'human list': '-s= --status=',
    'human stats': '',
    state: '',
    'state list': '',
    'set-state': '--reason=',
    'gate create': '--blocks= -t= --type= --await-id= --timeout= -r= --reason=',
    'gate list': '-a --all --status= -t= --type= -n= --limit=',
    'gate show': '',
    'mol current': '--for= --limit= --range=',
    'mol show': '-p --parallel',
    'mol progress': '',
    'mol list': '',
    'mol status': '',
    prime: '--full --mcp --stealth --hook-json --memories-only',
    status: '--assigned --all --no-activity',
    stale: '-d= --days= -s= --status= -n= --limit=',
    history: '--limit=',
    defer: '--until=',
    undefer: '',
    supersede: '--with=',
    duplicate: '--of=',
    'epic status': '--eligible-only',
    remember: '--key=',
    recall: '',
    memories: '',
    'kv get': '',
    'kv set': '',
    'kv list': '',
    graph: `${JSON_OPTIONS} --tree --mermaid`,
    types: '',
    statuses: '',
    where: '',
    version: '',
    todo: '',
    'todo list': '',
    'todo add': '-t= --type= -p= --priority= -d= --description=',
    'todo done': '-r= --reason=',
  },
  askedOptions: '-w --watch --body-file= --design-file= --graph= --file= -f= --reason-file= -f --force --export',
  asked: `view, new, done, dep link, dep rm, comments list, label propagate, human mark, human respond, human dismiss,
    state get, gate resolve, gate close, gate check, gate status, gate add-waiter, gate discover, mol burn, mol squash,
    mol wisp, mol pour, mol create, mol stale, mol attach, mol bond, mol distill, mol last-activity, mol ready, mol seed,
    promote, delete, export, import, formula, stats, batch, epic close-eligible, forget, kv clear, info, context, ping,
    doctor, config, burn, cook, onboard, pour, quickstart, squash, wisp, admin, audit, backup, bootstrap, compact,
    completion, daemon, dolt, flatten, gc, hooks, init, init-safety, lint, migrate, preflight, prune, purge, setup, sync,
    upgrade, vc, ado, branch, create-form, diff, duplicates, edit, federation, find-duplicates, github, gitlab, jira,
    linear, mail, merge-slot, notion, orphans, rename, rename-prefix, repo, restore, rules, ship, sql, swarm, worktree`,
}
