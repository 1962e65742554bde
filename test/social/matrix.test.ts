import { expect, test } from 'bun:test'
import { isLegacyPath } from '../../src/social/network/api/legacy.ts'
import { operationsOf } from '../support/sample.ts'
import { type Json, OPERATOR_TOKEN, openNetwork, type TestNetwork } from './network.ts'

/** Everybody who may call: `ended` shows a key that was exchanged, `deleted` one of an account that was closed. */
const CALLERS = [
  'nobody',
  'junk',
  'unknown',
  'ended',
  'deleted',
  'suspended',
  'pending',
  'claimed',
  'operator',
] as const
type Caller = (typeof CALLERS)[number]

/** Admitted callers if only claimed agents may write; unlisted ones get the operation's response. */
const REJECTED: Readonly<Record<string, Readonly<Partial<Record<Caller, number>>>>> = {
  anyone: {},
  // Open to a suspended agent, which may read its own state.
  account: { nobody: 401, junk: 401, unknown: 401, ended: 401, deleted: 401, operator: 401 },
  reader: { nobody: 401, junk: 401, unknown: 401, ended: 401, deleted: 401, operator: 401, suspended: 403 },
  // Open to everybody without a key.
  public: { junk: 401, unknown: 401, ended: 401, deleted: 401, operator: 401, suspended: 403 },
  writer: {
    nobody: 401,
    junk: 401,
    unknown: 401,
    ended: 401,
    deleted: 401,
    operator: 401,
    suspended: 403,
    pending: 403,
  },
  operator: Object.fromEntries(CALLERS.filter((caller) => caller !== 'operator').map((caller) => [caller, 403])),
}

type Thing = 'attachment' | 'post' | 'comment' | 'key' | 'agent' | 'submolt' | 'conversation'

/** An operation: who is let in and what it answers then; for one about a thing, also when that is another’s, or none. */
interface Row {
  readonly who: keyof typeof REJECTED
  readonly ok: number
  /** Callers with a different response than other admitted ones. */
  readonly but?: Readonly<Partial<Record<Caller, number>>>
  readonly of?: { readonly thing: Thing; readonly own: number; readonly other: number }
  readonly query?: string
  /** The second parameter of its path. */
  readonly rest?: string
  readonly body?: (turn: number) => unknown
}

const about = (thing: Thing, own: number, other: number) => ({ thing, own, other })
const vote = { who: 'writer', ok: 200 }
const value = () => ({ value: 1 })
const ROWS: Readonly<Record<string, Row>> = {
  getWelcome: { who: 'anyone', ok: 200 },
  getHealth: { who: 'anyone', ok: 200 },
  registerAgent: { who: 'anyone', ok: 201, body: (turn) => ({ name: `fresh-${turn}` }) },
  getMe: { who: 'account', ok: 200 },
  getClaimStatus: { who: 'account', ok: 200 },
  updateMe: { who: 'reader', ok: 200, body: (turn) => ({ description: `the ${turn}th` }) },
  deleteMe: { who: 'reader', ok: 200 },
  renewClaim: { who: 'reader', ok: 200, but: { claimed: 409 } },
  listKeys: { who: 'reader', ok: 200 },
  createKey: { who: 'reader', ok: 201 },
  revokeKey: { who: 'reader', ok: 200, of: about('key', 200, 404) },
  listSigningKeys: { who: 'reader', ok: 200 },
  addSigningKey: {
    ...{ who: 'reader', ok: 400 },
    body: () => ({ public_key: { kty: 'OKP', crv: 'Ed25519', x: 'none' }, proof: 'none' }),
  },
  revokeSigningKey: { who: 'reader', ok: 200, of: about('key', 404, 404) },
  setUpOwnerEmail: { who: 'reader', ok: 200, body: () => ({ email: 'ada@example.org' }) },
  exportMe: { who: 'reader', ok: 409 },
  setBearerKeys: { who: 'reader', ok: 403, body: () => ({ enabled: false }) },
  getProfile: { who: 'public', ok: 200, query: '?name=other' },
  followAgent: { who: 'writer', ok: 200, of: about('agent', 400, 200) },
  unfollowAgent: { who: 'writer', ok: 200, of: about('agent', 200, 200) },
  getComment: { who: 'public', ok: 200, of: about('comment', 200, 200) },
  editComment: {
    who: 'writer',
    ok: 200,
    of: about('comment', 200, 403),
    body: (turn) => ({ content: `words ${turn}` }),
  },
  listCommentRevisions: { who: 'reader', ok: 200, of: about('comment', 200, 403) },
  editPost: { who: 'writer', ok: 200, of: about('post', 200, 403), body: (turn) => ({ title: `Title ${turn}` }) },
  listPostRevisions: { who: 'reader', ok: 200, of: about('post', 200, 403) },
  deleteComment: { who: 'writer', ok: 200, of: about('comment', 200, 403) },
  upvoteComment: { ...vote, of: about('comment', 400, 200) },
  downvoteComment: { ...vote, of: about('comment', 400, 200) },
  setCommentVote: { ...vote, of: about('comment', 400, 200), body: value },
  getHome: { who: 'reader', ok: 200 },
  listNotifications: { who: 'reader', ok: 200 },
  readPostNotifications: { who: 'reader', ok: 200, of: about('post', 200, 200) },
  readAllNotifications: { who: 'reader', ok: 200 },
  getStats: { who: 'public', ok: 200 },
  listAgents: { who: 'public', ok: 200 },
  getLeaderboard: { who: 'public', ok: 200 },
  listRecentAgents: { who: 'public', ok: 200 },
  getAgent: { who: 'public', ok: 200, of: about('agent', 200, 200) },
  searchPosts: { who: 'public', ok: 200, query: '?q=words' },
  searchComments: { who: 'public', ok: 200, query: '?q=words' },
  searchAgents: { who: 'public', ok: 200, query: '?q=words' },
  removePostVote: { ...vote, of: about('post', 400, 200) },
  removeCommentVote: { ...vote, of: about('comment', 400, 200) },
  listModerators: { who: 'public', ok: 200, of: about('submolt', 200, 200) },
  addModerator: { who: 'writer', ok: 200, of: about('submolt', 200, 403), body: () => ({ agent_name: 'other' }) },
  removeModerator: { who: 'writer', ok: 200, of: about('submolt', 200, 403), body: () => ({ agent_name: 'other' }) },
  removeModeratorByName: { who: 'writer', ok: 200, of: about('submolt', 200, 403), rest: 'other' },
  changeSubmoltSettings: { who: 'writer', ok: 200, of: about('submolt', 200, 403), body: () => ({ rules: 'Be kind' }) },
  pinPost: { who: 'writer', ok: 200, of: about('post', 403, 403) },
  unpinPost: { who: 'writer', ok: 200, of: about('post', 403, 403) },
  checkMessages: { who: 'reader', ok: 200 },
  requestConversation: {
    ...{ who: 'writer', ok: 200, body: () => ({ to: 'other', message: 'May I write to you?' }) },
  },
  listMessageRequests: { who: 'reader', ok: 200 },
  approveConversation: { who: 'writer', ok: 200, of: about('conversation', 200, 404) },
  rejectConversation: { who: 'writer', ok: 200, of: about('conversation', 200, 404) },
  listConversations: { who: 'reader', ok: 200 },
  readConversation: { who: 'reader', ok: 200, of: about('conversation', 200, 404) },
  sendMessage: { who: 'writer', ok: 200, of: about('conversation', 403, 404), body: () => ({ message: 'Hello' }) },
  reportPost: { who: 'writer', ok: 200, of: about('post', 400, 200) },
  listReports: { who: 'reader', ok: 200, of: about('submolt', 200, 403) },
  dismissReports: { who: 'writer', ok: 200, of: about('post', 403, 403) },
  createLabel: {
    ...{ who: 'writer', ok: 201, of: about('submolt', 201, 403) },
    body: (turn: number) => ({ key: `tag-${turn}`, label: 'Tag', kind: 'tag' }),
  },
  listLabels: { who: 'public', ok: 200, of: about('submolt', 200, 200) },
  listRoles: { who: 'public', ok: 200, of: about('submolt', 200, 200) },
  attachLabel: {
    ...{ who: 'writer', ok: 404 },
    body: () => ({ label_definition_id: 'none', target_type: 'post', target_id: 'none' }),
  },
  detachLabel: { who: 'writer', ok: 200, of: about('attachment', 200, 403) },
  createIdentityToken: { who: 'reader', ok: 200 },
  verify: { who: 'writer', ok: 404, body: () => ({ verification_code: 'none', answer: '1' }) },
  verifyIdentity: { who: 'anyone', ok: 200, body: () => ({ token: 'none' }) },
  getFeed: { who: 'reader', ok: 200 },
  createPost: { who: 'writer', ok: 201, body: () => ({ submolt: 'general', title: 'x', content: 'y' }) },
  listPosts: { who: 'public', ok: 200 },
  getPost: { who: 'public', ok: 200, of: about('post', 200, 200) },
  deletePost: { who: 'writer', ok: 200, of: about('post', 200, 403) },
  listRepeatedPosts: { who: 'public', ok: 200, of: about('post', 200, 200) },
  listRepeatedComments: { who: 'public', ok: 200, of: about('post', 200, 200) },
  relistPost: { who: 'writer', ok: 200, of: about('post', 403, 403) },
  relistComment: { who: 'writer', ok: 200, of: about('comment', 403, 403) },
  getReputation: { who: 'reader', ok: 200 },
  vouchForAgent: { who: 'writer', ok: 403, but: { claimed: 200 }, of: about('agent', 400, 403) },
  endVouching: { who: 'writer', ok: 200, of: about('agent', 200, 200) },
  setAvatar: { who: 'reader', ok: 400, body: () => 'junk' },
  removeAvatar: { who: 'reader', ok: 200 },
  setSubmoltAvatar: { who: 'writer', ok: 400, of: about('submolt', 400, 403), body: () => 'junk' },
  setSubmoltBanner: { who: 'writer', ok: 400, of: about('submolt', 400, 403), body: () => 'junk' },
  setSubmoltPicture: { who: 'writer', ok: 400, of: about('submolt', 400, 403), body: () => 'junk' },
  createComment: { who: 'writer', ok: 201, of: about('post', 201, 201), body: () => ({ content: 'x' }) },
  listComments: { who: 'public', ok: 200, of: about('post', 200, 200) },
  upvotePost: { ...vote, of: about('post', 400, 200) },
  downvotePost: { ...vote, of: about('post', 400, 200) },
  setPostVote: { ...vote, of: about('post', 400, 200), body: value },
  search: { who: 'public', ok: 200, query: '?q=words' },
  createSubmolt: { who: 'writer', ok: 201, body: (turn) => ({ name: `place-${turn}`, display_name: 'A place' }) },
  listSubmolts: { who: 'public', ok: 200 },
  getSubmolt: { who: 'public', ok: 200, of: about('submolt', 200, 200) },
  listSubmoltPosts: { who: 'public', ok: 200, of: about('submolt', 200, 200) },
  subscribe: { who: 'writer', ok: 200, of: about('submolt', 200, 200) },
  unsubscribe: { who: 'writer', ok: 200, of: about('submolt', 200, 200) },
  approveClaim: { who: 'operator', ok: 200, of: about('agent', 200, 200) },
  releaseClaim: { who: 'operator', ok: 200, of: about('agent', 200, 200) },
  importAgent: {
    ...{ who: 'operator', ok: 400, of: about('agent', 400, 400) },
    body: () => ({ manifest: '', signature: '', agent_signature: { key_id: '', signature: '' }, chunk: 0, text: '' }),
  },
  reissueKey: { who: 'operator', ok: 201, of: about('agent', 201, 201) },
  suspendAgent: { who: 'operator', ok: 200, of: about('agent', 200, 200), body: () => ({ reason: 'spam' }) },
  setSubmoltOwner: { who: 'operator', ok: 200, of: about('submolt', 200, 200), body: () => ({ agent: 'other' }) },
  reinstateAgent: { who: 'operator', ok: 200, of: about('agent', 200, 200) },
  backupNetwork: { who: 'operator', ok: 200 },
  recount: { who: 'operator', ok: 200 },
  repairCounters: { who: 'operator', ok: 200 },
}

let turn = 0

/** A caller of its own for one question. */
async function caller(network: TestNetwork, kind: Caller): Promise<{ name: string; key: string | undefined }> {
  const name = `${kind}-${++turn}`
  if (kind === 'nobody') return { name, key: undefined }
  if (kind === 'junk') return { name, key: 'junk' }
  if (kind === 'unknown') return { name, key: `moltbook_${'f'.repeat(64)}` }
  if (kind === 'operator') return { name, key: OPERATOR_TOKEN }
  const key = await network.agent(name)
  if (kind === 'claimed') await network.claims.approve(name)
  if (kind === 'suspended') await network.suspensions.suspend(name, 'why not')
  if (kind === 'deleted') await network.api('DELETE', '/agents/me', key)
  if (kind === 'ended') await network.api('POST', '/agents/me/keys', key, { replace: true })
  return { name, key }
}

/** Resource of an address: a fresh one of an agent that may write. */
async function thingOf(
  network: TestNetwork,
  thing: Thing,
  { name, key }: { name: string; key: string },
): Promise<string> {
  if (thing === 'agent') return name
  if (thing === 'key') return String(((await network.api('POST', '/agents/me/keys', key)).body.key as Json).id)
  if (thing === 'submolt') {
    const created = await network.api('POST', '/submolts', key, { name: `of-${++turn}`, display_name: 'x' })
    return String((created.body.submolt as Json).name)
  }
  if (thing === 'attachment') {
    const submolt = await thingOf(network, 'submolt', { name, key })
    const draft = { key: 'tag', label: 'Tag', kind: 'tag' }
    const { id } = (await network.api('POST', `/submolts/${submolt}/labels`, key, draft)).body.label as Json
    const post = await network.post(key, 'x', { submolt })
    const target = { label_definition_id: id, target_type: 'post', target_id: post.id }
    return String(((await network.api('POST', '/labels/attach', key, target)).body.attachment as Json).id)
  }
  if (thing === 'conversation') {
    const draft = { to: name, message: 'May I write to you?' }
    const asked = await network.api('POST', '/agents/dm/request', (await thingOwner(network)).key, draft)
    return String(asked.body.conversation_id)
  }
  const { id } = await network.post(key)
  return String(thing === 'post' ? id : (await network.comment(key, id)).id)
}

/** Changes that never succeed in this test, which those about them repeat, and one check that changes nothing. */
const NEVER_HERE = [
  ...[
    'addSigningKey',
    'deleteMe',
    'dismissReports',
    'importAgent',
    'pinPost',
    'relistComment',
    'relistPost',
    'revokeSigningKey',
  ],
  ...['sendMessage', 'setAvatar', 'setBearerKeys', 'setSubmoltAvatar', 'setSubmoltBanner', 'setSubmoltPicture'],
  ...['unpinPost', 'verify', 'verifyIdentity'],
]

test('every operation answers each kind of caller, for each kind of resource, as its row says', async () => {
  await using network = await openNetwork({ settings: { requireClaim: true }, repeats: true })
  const all = operationsOf(network.document)
  expect(all.map(({ id }) => id).sort()).toEqual(Object.keys(ROWS).sort())
  await network.agent('other')
  for (const { id, method, path } of all) {
    const { who, ok, but, of, query = '', rest = '', body } = ROWS[id] as Row
    const ask = async (key: string | undefined, named: string) => {
      const at = `${path.replace(/\{\w+\}/, encodeURIComponent(named)).replace('{agent}', rest)}${query}`
      await network.deletions.resume()
      network.recorded()
      const { status } = await network.ask(method, at, key, body?.(++turn))
      const older = at.replace('/api/v1', '')
      if (status >= 400 && isLegacyPath(older)) {
        expect({ id, older: (await network.ask(method, older, key, body?.(++turn))).status }).toEqual({
          id,
          older: status,
        })
      }
      return { status, recorded: status < 400 || network.recorded() }
    }
    const others = await thingOwner(network)
    const fresh = async () => (of ? thingOf(network, of.thing, others) : '')
    for (const kind of CALLERS) {
      const expected = REJECTED[who]?.[kind] ?? but?.[kind] ?? of?.other ?? ok
      const { key } = await caller(network, kind)
      const { status, recorded } = await ask(key, await fresh())
      expect({ id, kind, status, recorded }).toEqual({ id, kind, status: expected, recorded: expected < 400 || [] })
    }
    if (!of) continue
    const me = await thingOwner(network)
    const key = who === 'operator' ? OPERATOR_TOKEN : me.key
    const own = await ask(key, await thingOf(network, of.thing, me))
    expect({ id, own: own.status }).toEqual({ id, own: of.own })
    for (const named of [
      '00000000-0000-7000-8000-000000000000',
      'x',
      '1 OR 1=1',
      '%',
      '../me',
      '🦞',
      'x'.repeat(500),
    ]) {
      expect({ id, named, ...(await ask(key, named)) }).toEqual({ id, named, status: 404, recorded: [] })
    }
  }
  const unrepeated = all.filter(({ id, method }) => method !== 'GET' && !network.repeated.has(id)).map(({ id }) => id)
  expect(unrepeated.sort()).toEqual(NEVER_HERE.toSorted())
  expect(await network.recount()).toEqual([])
  expect(network.errors).toEqual([])
}, 60_000)

/** A claimed agent with its key. */
async function thingOwner(network: TestNetwork): Promise<{ name: string; key: string }> {
  const { name, key = '' } = await caller(network, 'claimed')
  return { name, key }
}
