import { expect } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { STORE_TOKEN } from '../../api/town.ts'
import type { Town } from '../../cli/town.ts'
import { until } from '../../support/until.ts'

type Json = Record<string, unknown>

/** Ids of one of everything. */
interface Things {
  bead: string
  other: string
  convoy: string
  session: string
  mail: string
  wait: string
}

/** Does a request of a city; nothing in this script is refused. */
function requests(town: Town) {
  return async (method: string, path: string, body?: unknown, token?: string): Promise<Json> => {
    const response = await fetch(`${town.url}/v0/city/town${path}`, {
      method,
      headers: {
        'X-GC-Request': '1',
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    expect([method, path, response.ok || text]).toEqual([method, path, true])
    return response.headers.get('Content-Type')?.startsWith('application/json') ? JSON.parse(text) : {}
  }
}

type Request = ReturnType<typeof requests>

/** Has a city do everything that its beads, claims, convoys, mail, waits, events, upkeep, sessions and status can. */
export async function doEverything(town: Town): Promise<void> {
  const request = requests(town)
  const things = await begin(town, request)
  await look(request, things)
  await claim(town, request, things)
  await change(request, things)
}

async function begin(town: Town, request: Request): Promise<Things> {
  await town.json(['agent', 'add', 'clerk', '--command', `${STORE_TOKEN}; exec sleep 600`])
  const { id: session } = await town.json<{ id: string }>(['session', 'new', 'clerk', '--alias', 'carl'])
  const create = async (path: string, body: unknown): Promise<string> => String((await request('POST', path, body)).id)
  const metadata = { 'gc.routed_to': 'clerk' }
  const bead = await create('/beads', { title: 'a', labels: ['x'], priority: 1, metadata })
  const other = await create('/beads', { title: 'b', parent: bead, rig: 'shop', defer_until: '2040-01-01T00:00:00Z' })
  await request('POST', `/bead/${bead}/deps`, { depends_on_id: other })
  await request('GET', `/bead/${bead}/dependencies`)
  await request('DELETE', `/bead/${bead}/deps/${other}`)
  const convoy = await create('/convoys', { title: 'c', items: [bead] })
  await request('POST', `/convoy/${convoy}/add`, { items: [other] })
  await request('POST', '/sling', { target: 'clerk', bead })
  const mail = await create('/mail', { to: 'carl', subject: 'x', body: 'y' })
  await request('POST', `/mail/${mail}/reply`, { body: 'z' })
  const wait = await create('/waits', { session, on_beads: [other], expires_at: '2040-01-01T00:00:00Z' })
  return { bead, other, convoy, session, mail, wait }
}

/** Characters of a session's token. */
const TOKEN = 68

const BEADS = [
  ...['', '?all=true', '?status=closed', '?status=in_progress', '?type=task', '?type=task&all=true', '?label=x'],
  ...[
    '?label=x&all=true',
    '?label=x&type=task',
    '?assignee=carl',
    '?assignee=carl&all=true',
    '?assignee=carl&type=task',
    '?assignee=carl&status=closed',
    '?label=x&status=closed',
    '?label=x&type=task&all=true',
    '?label=x&assignee=carl&all=true',
  ],
  ...['?rig=shop', '?rig=shop&all=true', '?rig=shop&type=task', '?type=task&status=open', '?limit=1'],
  '?type=task&label=x&rig=shop&assignee=carl&all=true',
]
const EVENTS = ['', '?type=bead.created', '?actor=human', '?type=bead.created&actor=human', '?since=1h', '?limit=1']
const MAIL = ['', '?status=all', '?agent=carl', '?agent=carl&status=all', '?agent=human']
const SESSIONS = ['', '?state=all', '?state=closed', '?state=active', '?template=clerk', '?state=all&template=clerk']

async function look(request: Request, { bead, other, convoy, session, mail, wait }: Things): Promise<void> {
  const boxes = ['', '?agent=carl'].flatMap((query) =>
    ['/inbox', '/threads', '/count'].map((of) => `/mail${of}${query}`),
  )
  const paths = [
    ...BEADS.map((query) => `/beads${query}`),
    ...['/beads/ready', `/beads/graph/${convoy}`, `/bead/${bead}`, `/bead/${bead}/deps`, '/beads/export'],
    ...['/convoys', `/convoy/${convoy}`, `/convoy/${convoy}/check`, '/claims', `/claims?session=${session}`],
    ...EVENTS.map((query) => `/events${query}`),
    ...MAIL.map((query) => `/mail${query}`),
    ...[...boxes, `/mail/${mail}`, `/mail/thread/${mail}`],
    ...['/waits', '/waits?state=pending', `/waits?session=${session}`, `/wait/${wait}`],
    ...SESSIONS.map((query) => `/sessions${query}`),
    ...[
      `/session/${session}`,
      '/status',
      '/attention',
      '/attention-kinds',
      '/rules',
      '/rules/suggestions',
      '/agents',
      '/rigs',
      '/usage',
      '/usage/days',
      '/budgets',
      '/worktrees',
      ...[
        '/changes',
        '/changes?state=all',
        '/changes?state=ready',
        '/changes?state=landed',
        '/changes?rig=shop',
        '/changes/reviewers',
      ],
    ],
    ...['', '/maintenance/status', `/bead/${other}`],
  ]
  for (const path of paths) await request('GET', path)
}

/** A session takes work, says that it is at it, gives it back, and takes it again. */
async function claim(town: Town, request: Request, { bead, session }: Things): Promise<void> {
  const file = join(town.home, `token.${session}`)
  await until(() => existsSync(file) && readFileSync(file, 'utf8').length === TOKEN)
  const token = readFileSync(file, 'utf8')
  expect(await request('POST', '/claims/next', undefined, token)).toMatchObject({ bead_id: bead })
  await request('POST', `/bead/${bead}/heartbeat`, undefined, token)
  await request('POST', `/bead/${bead}/release`, undefined, token)
  await request('POST', `/bead/${bead}/claim`, undefined, token)
  await request('GET', `/claims/${bead}`)
}

async function change(request: Request, { bead, other, convoy, session, mail, wait }: Things): Promise<void> {
  await request('PATCH', `/bead/${other}`, { title: 'q', status: 'closed', labels: ['y'], priority: 3, parent: '' })
  await request('POST', `/bead/${other}/reopen`)
  await request('POST', `/bead/${other}/close`)
  await request('POST', `/bead/${bead}/assign`, { assignee: 'carl' })
  await request('POST', `/wait/${wait}/cancel`)
  await request('PATCH', `/mail/${mail}`, { read: true })
  for (const verb of ['mark-unread', 'read', 'archive']) await request('POST', `/mail/${mail}/${verb}`)
  await request('POST', `/convoy/${convoy}/remove`, { items: [other] })
  await request('POST', `/convoy/${convoy}/close`)
  await request('POST', '/events', { type: 'deploy.finished', actor: 'human' })
  await request('POST', '/events/rotate?wait=true')
  await request('POST', '/maintenance/dolt-gc?wait=true')
  await request('POST', `/session/${session}/close`)
  await request('GET', '/backup')
}
