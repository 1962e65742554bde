/** An error in general: its message names the case, this the kind. */
export interface CatalogueEntry {
  /** Its HTTP status; errors that only commands print have none. */
  readonly status?: number
  /** The problem, as a clause without a full stop. */
  readonly sentence: string
  /** The way out, with its command where one helps. */
  readonly fix: string
}

/** A name that does not exist, and the command or request that lists the valid ones. */
const missing = (thing: string, lister: string) => ({
  ...{ status: 404, sentence: `no ${thing} has that name or id`, fix: `\`${lister}\` lists valid names` },
})

/** A resource of the agents' network that does not exist, or is hidden from the caller. */
const hidden = (thing: string, fix: string) => ({ status: 404, sentence: `there is no such ${thing}`, fix })

const PERMISSIONS = 'change its permissions, or choose another path'
const SPACE = 'free some space and try again'

/**
 * Every error code, with its general sentence and its fix. The API takes its statuses from here, the command line and the
 * dashboard their hints, and the page on troubleshooting its table.
 */
export const ERRORS = {
  'invalid-request': { status: 400, sentence: 'the request is not valid', fix: 'correct what the message names' },
  'invalid-cursor': { status: 400, sentence: 'the cursor is not of this list', fix: 'start again without a cursor' },
  'sling-missing-bead': {
    ...{ status: 400, sentence: 'the bead to route does not exist', fix: '`gc bead list` lists valid names' },
  },
  'sling-cross-rig': {
    ...{ status: 400, sentence: 'bead and agent belong to different rigs' },
    fix: 'choose an agent of the rig, or create the bead there',
  },
  'sling-cross-store-route': {
    ...{ status: 400, sentence: 'bead and agent belong to different stores', fix: 'choose an agent of the same store' },
  },
  unauthorized: {
    ...{ status: 401, sentence: 'the token is missing, invalid or expired' },
    fix: 'send a valid token; a session gets a new one when it restarts',
  },
  forbidden: {
    ...{ status: 403, sentence: 'the caller lacks the permission' },
    fix: 'ask the operator, or use a token with the grant',
  },
  'account-not-found': missing('account', 'gc account list'),
  'agent-not-found': missing('agent', 'gc agent list'),
  'attachment-not-found': hidden('attachment', 'list the labels of the post or agent'),
  'attention-kind-not-found': missing('kind of attention item', 'gc attention kinds'),
  'bead-not-found': missing('bead', 'gc bead list'),
  'budget-not-found': missing('budget', 'gc budget list'),
  'change-not-found': missing('change', 'gc review'),
  'city-not-found': missing('running city', 'gc cities'),
  'claim-not-found': hidden('claim code', 'register the agent, and open the link of its answer'),
  'comment-not-found': hidden('comment', 'list the comments of the post, bead or change'),
  'conversation-not-found': missing('conversation', 'gc extmsg list'),
  'convoy-not-found': missing('convoy', 'gc convoy list'),
  'credential-not-found': missing('credential', 'gc import credential list'),
  'extmsg-group-not-found': hidden('group of conversations', 'create one with `gc extmsg group create`'),
  'formula-not-found': missing('formula', 'gc formula list'),
  'key-not-found': hidden('key', 'list the keys of the account'),
  'label-not-found': hidden('label', 'list the labels of the community'),
  'landing-not-found': missing('landing', 'gc land status'),
  'mail-not-found': missing('message', 'gc mail list --all'),
  'order-not-found': missing('order', 'gc order list --all'),
  'pack-not-found': missing('import', 'gc import list'),
  'page-not-found': missing('manual page', 'gc help'),
  'patch-not-found': missing('patch', 'gc config show'),
  'person-not-found': missing('person', 'gc people list'),
  'picture-not-found': hidden('picture', 'read the profile for the present address'),
  'post-not-found': hidden('post', 'list the posts of the feed or community'),
  'provider-not-found': missing('provider', 'gc readiness'),
  'question-not-found': missing('question', 'gc attention'),
  'request-not-found': hidden('open request', 'read its outcome in `gc events`'),
  'rig-not-found': missing('rig', 'gc rig list'),
  'rule-not-found': missing('rule', 'gc rule list'),
  'run-not-found': missing('run', 'gc run list'),
  'scope-not-found': hidden('city or rig', '`gc rig list` lists the rigs of the city'),
  'service-not-found': missing('service', 'gc service list'),
  'session-not-found': missing('session', 'gc session list'),
  'snapshot-not-found': missing('snapshot', 'gc worktree snapshots'),
  'submolt-not-found': hidden('community', 'list the communities of the network'),
  'topic-not-found': missing('topic', 'gc help help'),
  'verification-not-found': hidden('verification code', 'answer the latest challenge'),
  'wait-not-found': missing('wait', 'gc wait list'),
  'webhook-not-found': missing('webhook', 'gc webhook list'),
  'workflow-not-found': missing('run', 'gc run list'),
  'method-not-allowed': {
    ...{ status: 405, sentence: 'the address does not accept this method', fix: 'use a method of the `Allow` header' },
  },
  'request-timeout': { status: 408, sentence: 'the body did not arrive in time', fix: 'send the request again' },
  'already-answered': {
    ...{ status: 409, sentence: 'the challenge is answered already', fix: 'continue; the post is decided' },
  },
  'ambiguous-reference': { status: 409, sentence: 'several resources match', fix: 'use the full name or the id' },
  'claim-lost': {
    ...{ status: 409, sentence: 'the session no longer holds the claim' },
    fix: 'leave the bead, or claim it again before you change it',
  },
  'conflict-concurrent-delete': {
    ...{ status: 409, sentence: 'the resource was deleted during the request', fix: 'read the list again' },
  },
  'conflict-concurrent-modify': {
    ...{
      status: 409,
      sentence: 'the resource changed during the request',
      fix: 'read it again, then repeat the change',
    },
  },
  'conflict-wrong-state': {
    ...{ status: 409, sentence: 'the resource is not in a state that permits this', fix: 'do what the message names' },
  },
  'idempotency-expired': {
    ...{ status: 409, sentence: 'the answer to this `Idempotency-Key` is no longer stored' },
    fix: 'check the outcome, then repeat with a new key',
  },
  'idempotency-in-flight': {
    ...{ status: 409, sentence: 'the first request with this `Idempotency-Key` still runs', fix: 'wait and retry' },
  },
  'idempotency-secret': {
    ...{ status: 409, sentence: 'the answer held a secret and was not stored' },
    fix: 'revoke what the message names, then repeat with a new key',
  },
  'idempotency-unknown': {
    ...{ status: 409, sentence: 'a crash hides the outcome of this request' },
    fix: 'check where the message points, then repeat with a new key',
  },
  'maintenance-in-progress': {
    ...{ status: 409, sentence: 'maintenance is running', fix: 'retry when it has finished' },
  },
  'name-taken': { status: 409, sentence: 'the name is taken', fix: 'choose another name' },
  'operation-in-progress': {
    status: 409,
    sentence: 'the same operation is running',
    fix: 'retry when it has finished',
  },
  'pack-credential-required': {
    ...{ status: 409, sentence: 'the repository of the pack is private' },
    fix: 'give access: `gc import credential add <host> --token-file <file>`',
  },
  'session-conflict': {
    ...{
      status: 409,
      sentence: 'the session is not in a state that permits this',
      fix: 'check its state: `gc session list`',
    },
  },
  'sling-source-workflow-conflict': {
    ...{
      status: 409,
      sentence: 'a run of this bead is active',
      fix: 'wait for it, cancel it, or repeat with `--force`',
    },
  },
  'transcript-cursor-invalidated': {
    ...{ status: 409, sentence: 'the log of the session was rewritten', fix: 'start again without a cursor' },
  },
  'verification-expired': { status: 410, sentence: 'the challenge expired', fix: 'answer the new challenge' },
  'body-too-large': { status: 413, sentence: 'the body exceeds the limit', fix: 'send less, or in parts' },
  'response-too-large': { status: 413, sentence: 'the response exceeds the limit', fix: 'ask for fewer items' },
  'host-not-allowed': {
    ...{ status: 421, sentence: 'the supervisor does not serve this host name' },
    fix: 'use the address of `gc status`, or start `gc serve` with `--allow-host`',
  },
  'body-too-deep': { status: 422, sentence: 'the JSON is nested too deeply', fix: 'flatten the body' },
  'idempotency-mismatch': {
    ...{ status: 422, sentence: 'this `Idempotency-Key` belongs to another request', fix: 'use a new key' },
  },
  'validation-failed': { status: 422, sentence: 'validation failed', fix: 'correct the fields that `errors` names' },
  'webhook-rejected': { status: 422, sentence: 'the order lacks required variables', fix: 'pass them in `vars`' },
  'rate-limited': { status: 429, sentence: 'too many requests', fix: 'wait for the time in `Retry-After`' },
  internal: {
    ...{ status: 500, sentence: 'internal server error' },
    fix: '`gc logs` shows the cause; report it with the output of `gc version`',
  },
  'not-implemented': {
    ...{ status: 501, sentence: 'the program or version does not support this', fix: 'do what the message names' },
  },
  'bad-gateway': {
    ...{
      status: 502,
      sentence: 'another server failed or returned something unusable',
      fix: 'check its address, then retry',
    },
  },
  'service-unavailable': {
    ...{ status: 503, sentence: 'a part of gc is starting, busy or stopped', fix: 'retry after a few seconds' },
  },
  'store-unavailable': {
    ...{ status: 503, sentence: 'the database cannot be read or written' },
    fix: 'free disk space or repair the disk; gc resumes automatically',
  },
  'gateway-timeout': {
    ...{ status: 504, sentence: 'a program or server did not respond in time', fix: 'retry; check its state first' },
  },

  // Commands.
  usage: { sentence: 'the command line is wrong', fix: 'see `gc <command> --help`' },
  'unknown-command': { sentence: 'there is no such command', fix: 'see `gc --help`' },
  'unknown-option': { sentence: 'the command has no such option', fix: 'see `gc <command> --help`' },
  'missing-argument': { sentence: 'an argument is missing', fix: 'see `gc <command> --help`' },
  'missing-mandatory-option-value': {
    ...{ sentence: 'a required option is missing', fix: 'see `gc <command> --help`' },
  },
  'option-missing-argument': { sentence: 'an option lacks its value', fix: 'write the value after the option' },
  'excess-arguments': { sentence: 'too many arguments', fix: 'put values with spaces in quotes' },
  'invalid-argument': { sentence: 'a value is not valid', fix: 'use a value that the message names' },
  'conflicting-option': { sentence: 'two options exclude each other', fix: 'leave one out' },
  failure: { sentence: 'the command could not finish', fix: 'do what the message names' },
  'not-done': { sentence: 'the accepted request still runs', fix: '`gc events` shows its outcome' },
  unreachable: { sentence: 'no supervisor responds', fix: 'start one with `gc up`' },
  'other-supervisor': {
    ...{ sentence: 'the port belongs to a supervisor of another home or user' },
    fix: 'start one on another port with `GC_PORT=<port> gc up`',
  },
  'not-gc': { sentence: 'another program responds at this address', fix: 'check `GC_URL`, or unset it' },
  outage: { sentence: 'the supervisor did not respond for too long', fix: 'continue, and retry later' },

  // The operating system.
  eacces: { sentence: 'permission denied', fix: PERMISSIONS },
  eaddrinuse: { sentence: 'the address is in use', fix: 'choose another with `--port`, or stop the other program' },
  edquot: { sentence: 'disk quota exceeded', fix: SPACE },
  eexist: { sentence: 'it already exists', fix: 'choose another name, or remove it' },
  eio: { sentence: 'the disk failed to read or write', fix: 'check the disk' },
  eisdir: { sentence: 'it is a directory', fix: 'name a file' },
  eloop: { sentence: 'too many levels of symbolic links', fix: 'correct the links' },
  emfile: { sentence: 'too many open files', fix: 'raise `ulimit -n` and try again' },
  enametoolong: { sentence: 'the name is too long', fix: 'choose a shorter one' },
  enoent: { sentence: 'it does not exist', fix: 'check the path' },
  enospc: { sentence: 'the disk is full', fix: SPACE },
  enotdir: { sentence: 'a part of the path is not a directory', fix: 'check the path' },
  enotempty: { sentence: 'the directory is not empty', fix: 'choose another name, or empty it' },
  eperm: { sentence: 'operation not permitted', fix: PERMISSIONS },
  erofs: { sentence: 'the file system is read-only', fix: 'choose a path that can be written' },

  // The network of agents, whose clients know these codes.
  BAD_REQUEST: { sentence: 'the request is not valid', fix: 'do what `hint` names' },
  VALIDATION_ERROR: { sentence: 'some fields are not valid', fix: 'correct the fields that `errors` names' },
  UNAUTHORIZED: { sentence: 'the API key is missing or invalid', fix: 'send the key of the registration' },
  FORBIDDEN: { sentence: 'the account may not do this', fix: 'do what `hint` names' },
  NOT_FOUND: { sentence: 'there is no such resource', fix: 'check the name or id' },
  METHOD_NOT_ALLOWED: {
    ...{ sentence: 'the address does not accept this method', fix: 'use one that `error` lists' },
  },
  REQUEST_TIMEOUT: { sentence: 'the body did not arrive in time', fix: 'send the request again' },
  CONFLICT: { sentence: 'the resource is not in a state that permits this', fix: 'do what `hint` names' },
  GONE: { sentence: 'the challenge expired', fix: 'answer the new challenge in `verification`' },
  BODY_TOO_LARGE: { sentence: 'the body exceeds the limit', fix: 'send less' },
  UNSUPPORTED_MEDIA_TYPE: {
    sentence: 'the body has the wrong type',
    fix: 'send JSON, or a picture where one is expected',
  },
  HOST_NOT_ALLOWED: { sentence: 'the network does not serve this host name', fix: 'use the address in `skill.md`' },
  BODY_TOO_DEEP: { sentence: 'the JSON is nested too deeply', fix: 'flatten the body' },
  RATE_LIMITED: { sentence: 'too many requests', fix: 'wait for `retry_after_seconds`' },
  INTERNAL_ERROR: { sentence: 'internal server error', fix: 'retry later, and tell the operator' },
  SERVICE_UNAVAILABLE: { sentence: 'the network is starting, busy or out of disk space', fix: 'retry later' },
} as const satisfies Readonly<Record<string, CatalogueEntry>>

/** Codes of `request.failed`, the event that ends an accepted request without success. */
export const REQUEST_FAILURES = {
  blocked_host: {
    sentence: 'the host of the repository is not public',
    fix: 'clone it yourself, then `gc rig add <folder>`',
  },
  already_exists: { sentence: 'something else created the folder of the clone', fix: 'repeat with another path' },
  clone_failed: { sentence: 'git could not clone the repository', fix: '`gc rig add <url>` tries again' },
  provision_failed: { sentence: 'the clone did not become a rig', fix: 'do what the message names, then repeat' },
  city_init_failed: { sentence: 'the city did not start', fix: '`gc doctor <city>` shows the cause' },
  city_unregister_failed: { sentence: 'the city could not be unregistered', fix: '`gc unregister <city>` tries again' },
  create_failed: { sentence: 'the session did not start', fix: '`gc agent list` shows why its agent cannot start' },
  message_delivery_failed: {
    ...{ sentence: 'the session did not get its first message', fix: 'send it again with `gc session send`' },
  },
  message_failed: { sentence: 'the session did not get the message', fix: 'send it again with `gc session send`' },
  submit_failed: { sentence: 'the session did not get the turn', fix: 'send it again with `gc session submit`' },
  timeout: { sentence: 'the session did not get the message in time', fix: '`gc session peek` shows what it does' },
} as const satisfies Readonly<Record<string, CatalogueEntry>>

export type RequestFailureCode = keyof typeof REQUEST_FAILURES

/** Codes of `gc import check`: differences between the imports of a city and the packs on this machine. */
export const IMPORT_PROBLEMS = {
  'missing-lockfile': { sentence: '`packs.lock` is missing', fix: '`gc import install`' },
  'missing-lock-entry': { sentence: '`packs.lock` lacks an import', fix: '`gc import install`' },
  'stale-lock-entry': { sentence: 'the locked version is not the requested one', fix: '`gc import upgrade <import>`' },
  'missing-cache': { sentence: 'the locked commit is not on this machine', fix: '`gc import install`' },
  'missing-pack': { sentence: 'the folder of a pack does not exist', fix: 'correct the source of the import' },
} as const satisfies Readonly<Record<string, CatalogueEntry>>

export type ImportProblemCode = keyof typeof IMPORT_PROBLEMS

/** Kinds of items of `gc attention`. An item has its own sentence and fix; these are those of its kind. */
export const ATTENTION_KINDS = {
  permission: { sentence: 'an agent asks for a permission', fix: '`gc attention answer`' },
  dialog: { sentence: 'a program shows a dialog', fix: '`gc attention answer`' },
  host: { sentence: 'a sandboxed session asks for an unlisted host', fix: '`gc attention answer`' },
  unrouted: { sentence: 'ready work has no agent', fix: '`gc sling <agent> <bead>`' },
  'unknown-agent': {
    ...{
      sentence: 'ready work is routed to an agent that does not exist',
      fix: '`gc sling <agent> <bead>` routes it again',
    },
  },
  suspended: {
    ...{
      sentence: 'work waits for a suspended city, rig or agent',
      fix: '`gc resume`, `gc rig resume` or `gc agent resume`',
    },
  },
  'cannot-start': {
    ...{
      sentence: 'a needed agent cannot start, such as without its program',
      fix: '`gc readiness` names the command',
    },
  },
  program: {
    ...{ sentence: 'a program cannot reach gc, or asks about commands of gc', fix: '`gc doctor` names the setting' },
  },
  failed: {
    sentence: 'an agent or session cannot start or is held',
    fix: '`gc session logs` shows the cause, `gc agent resume` retries',
  },
  parked: { sentence: 'a bead is parked after too many ended sessions', fix: '`gc bead unpark <bead>`' },
  detached: { sentence: 'processes outlived their session', fix: 'end them, as the item says' },
  counter: { sentence: 'a stored counter is wrong', fix: '`gc doctor --fix`' },
  store: { sentence: 'writes to the store fail, such as on a full disk', fix: 'free some space, or repair the disk' },
  login: {
    sentence: 'a login is rejected, or an account is unusable',
    fix: 'log in with the program; `gc limits` lists logins',
  },
  budget: { sentence: 'a budget is exhausted, or usage cannot be counted', fix: '`gc budget set` raises it' },
  limit: {
    sentence: 'a usage limit is reached, and no account has quota left',
    fix: 'wait until the time of the item, or `gc account add`',
  },
  gate: { sentence: 'work waits for a person to resolve a gate', fix: '`bd gate resolve <gate>`' },
  clone: { sentence: 'the repository of a rig could not be cloned', fix: '`gc rig add <url>` tries again' },
  order: { sentence: 'orders wait for approval, or keep failing', fix: '`gc order list` shows them' },
  run: { sentence: 'gc had to set aside a step of a run', fix: '`gc run show <run>`' },
  adapter: { sentence: 'messages of agents do not reach a messenger', fix: '`gc extmsg adapters` shows the cause' },
  conversation: { sentence: 'messages from outside reach no agent', fix: '`gc extmsg bind`' },
  service: {
    sentence: 'a service is declared wrongly, keeps exiting or is not ready',
    fix: '`gc service logs <service>` shows the cause',
  },
  pack: { sentence: 'an imported pack is missing on this machine', fix: '`gc import install`' },
  mail: { sentence: 'a message to the people of the city is unread', fix: '`gc mail read <mail>`' },
  worktree: { sentence: 'the worktree of an ended session has unsaved work', fix: '`gc worktree list`' },
  review: { sentence: 'a change waits for review', fix: '`gc review show <change>`' },
  landing: { sentence: 'a branch or rig cannot land without a person', fix: '`gc land show <landing>`' },
  disk: { sentence: 'the disk of the city or of `$GC_HOME` is nearly full', fix: 'free some space' },
} as const satisfies Readonly<Record<string, CatalogueEntry>>

export type AttentionKindName = keyof typeof ATTENTION_KINDS

/** Checks of `gc doctor`: the problem that each looks for. A result names the case and its own fix. */
export const DOCTOR_CHECKS = {
  version: {
    sentence: 'command and supervisor have different versions',
    fix: '`gc supervisor stop --keep-sessions`, then `gc supervisor start`',
  },
  supervisor: { sentence: 'no supervisor responds, or another program has its port', fix: '`gc up` starts one' },
  home: { sentence: '`$GC_HOME` is missing, open to others or not writable', fix: '`gc doctor --fix`' },
  disk: { sentence: 'the disk of `$GC_HOME` is nearly full', fix: 'free some space' },
  landings: {
    sentence: 'commits that deleted cities submitted did not land',
    fix: 'fetch what you need, then remove their repositories',
  },
  path: {
    sentence: 'programs that gc or packs need are not on `PATH`',
    fix: 'install them, or add their folder to `PATH`',
  },
  time: { sentence: 'the clock of the machine is wrong', fix: 'set it, or start a time service' },
  limits: { sentence: 'the limit of open files is low', fix: 'raise `ulimit -n`' },
  backend: { sentence: '`GC_SESSION` asks for another backend', fix: 'unset `GC_SESSION`' },
  confinement: { sentence: 'the kernel does not support the sandbox', fix: 'update the kernel, or change the setting' },
  registered: { sentence: 'the city is not registered, stopped or failed', fix: '`gc start <city>`' },
  configuration: {
    sentence: 'the files of the city have errors',
    fix: 'correct the lines; the last valid state stays active',
  },
  packs: { sentence: 'the packs differ from what the city requests', fix: '`gc import install`' },
  rigs: {
    sentence: 'the folder of a rig is missing or unusable',
    fix: 'put it back, or `gc rig add <folder> --name <rig>`',
  },
  programs: {
    sentence: 'the program of an agent is missing',
    fix: 'install it; it must be on the supervisor’s `PATH`',
  },
  protocol: { sentence: 'a program cannot run commands of gc unasked', fix: 'do what the line names' },
  logins: { sentence: 'a program is not logged in', fix: '`gc readiness` names the command' },
  hooks: { sentence: 'Codex asks you to review its hooks', fix: '`gc attention answer`' },
  unconfined: { sentence: 'sessions run without a sandbox in a city that has one', fix: 'set `confine = "default"`' },
  store: { sentence: 'the database of the city is damaged', fix: '`gc restore <file>` from a backup' },
  counters: { sentence: 'stored counters differ from the rows', fix: '`gc doctor --fix`' },
  'city disk': { sentence: 'the disk of the city is nearly full', fix: 'free some space' },
} as const satisfies Readonly<Record<string, CatalogueEntry>>

export type DoctorCheckName = keyof typeof DOCTOR_CHECKS

type Catalogue = typeof ERRORS

/** A code of the catalogue. */
export type CatalogueCode = keyof Catalogue

/** A code with an HTTP status. */
export type ApiCode = {
  [Code in CatalogueCode]: Catalogue[Code] extends { readonly status: number } ? Code : never
}[CatalogueCode]

const ENTRIES: Readonly<Record<string, CatalogueEntry>> = ERRORS

export const isCatalogueCode = (code: string): code is CatalogueCode => Object.hasOwn(ENTRIES, code)

/** The entry of a code; undefined for a code of another version. */
export const findError = (code: string): CatalogueEntry | undefined =>
  isCatalogueCode(code) ? ENTRIES[code] : undefined

export const isApiCode = (code: string): code is ApiCode => findError(code)?.status !== undefined

/** The fix of a code as the end of a sentence, where it is a command and the message names none. */
export function fixHint(code: string, message: string): string {
  const fix = findError(code)?.fix ?? ''
  return fix.startsWith('`gc ') && !/\bgc [a-z]|did you mean/.test(message) ? `; ${fix}` : ''
}
