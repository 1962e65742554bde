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
