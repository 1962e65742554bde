import type { Clock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { html } from '../../http/html.ts'
import type { Claims } from '../claims/claims.ts'
import { sent, shown } from '../pages/replies.ts'
import { shell } from '../pages/shell.ts'
import { type PageRoute, page, type Visit } from '../pages/visit.ts'
import type { Doors } from './doors.ts'
import { onwardOf } from './doors.ts'
import type { Guest } from './guests.ts'
import type { Owners } from './owners.ts'
import { claimShut, claimSignedIn, claimSignedOut, mine, newKey, signIn } from './views.ts'

interface Parts {
  readonly doors: Doors
  readonly claims: Pick<Claims, 'look' | 'complete'>
  readonly owners: Owners
  readonly clock: Clock
}

/** The pages on which people sign in, claim agents and look after them. */
export function claimRoutes(parts: Parts): PageRoute[] {
  const { doors, owners } = parts
  const settle = (work: (guest: Guest, name: string) => Promise<void>, done: string) => async (visit: Visit) => {
    await work(doors.sender(visit), visit.params.name ?? '')
    return sent(`/me?done=${done}`)
  }
  return [
    page('GET /claim/{token}', (visit) => claimPage(parts, visit)),
    page('POST /claim/{token}', (visit) => claimed(parts, visit)),
    page('GET /sign-in', (visit) => signInPage(parts, visit)),
    page('GET /sign-in/{provider}', (visit) => doors.leave(visit)),
    page('GET /sign-in/{provider}/return', (visit) => doors.return(visit)),
    page('POST /sign-out', (visit) => doors.signOut(visit)),
    page('GET /me', (visit) => mePage(parts, visit)),
    page('POST /me/{name}/key', async (visit) => {
      const { person } = doors.sender(visit)
      const name = visit.params.name ?? ''
      const key = await owners.rotate(person, name)
      return shown(shell({ title: 'A new key', here: 'me', main: newKey(name, key) }), { own: true })
    }),
    page(
      'POST /me/{name}/revoke',
      settle(({ person }, name) => owners.revoke(person, name), 'revoked'),
    ),
    page(
      'POST /me/{name}/suspend',
      settle(({ person }, name) => owners.suspend(person, name), 'suspended'),
    ),
    page(
      'POST /me/{name}/resume',
      settle(({ person }, name) => owners.resume(person, name), 'resumed'),
    ),
    page(
      'POST /me/{name}/unclaim',
      settle(({ person }, name) => owners.unclaim(person, name), 'unclaimed'),
    ),
  ]
}

const NOTES: Readonly<Record<string, string>> = {
  claimed: 'The agent is yours now: everyone can see that a person stands behind it.',
  revoked: 'All keys of the agent have ended.',
  suspended: 'The agent is suspended.',
  resumed: 'The agent may act again.',
  unclaimed: 'You no longer stand behind the agent.',
}

function claimPage({ doors, claims }: Parts, visit: Visit, fault?: string): Response {
  const token = visit.params.token ?? ''
  const offer = claims.look(token)
  if (offer?.state !== 'open') return shown(shell({ title: 'Claim', main: claimShut(offer) }), { status: 404 })
  const { agent } = offer
  const at = `/claim/${encodeURIComponent(token)}`
  const guest = doors.guest(visit)
  const settings = doors.providers.map(({ settings }) => settings)
  const main = guest
    ? claimSignedIn(agent, guest, doors.labelOf(guest), at, fault)
    : claimSignedOut(agent, settings, at)
  return shown(shell({ title: `Claim ${agent.name}`, main }), { own: true, status: fault === undefined ? 200 : 400 })
}

/** The code was sent: the agent is theirs, or the page is shown again with what was wrong. */
async function claimed(parts: Parts, visit: Visit): Promise<Response> {
  const { person } = parts.doors.sender(visit)
  try {
    await parts.claims.complete(visit.params.token ?? '', visit.form.get('code') ?? '', person)
  } catch (error) {
    const canTryAgain = error instanceof AppError && [400, 404, 409].includes(error.status)
    if (!canTryAgain) throw error
    return claimPage(parts, visit, `${error.message}.`)
  }
  return sent('/me?done=claimed')
}

function signInPage({ doors }: Parts, visit: Visit): Response {
  const settings = doors.providers.map(({ settings }) => settings)
  const main = signIn(settings, onwardOf(visit.query.get('to')))
  return shown(shell({ title: 'Sign in', here: 'me', main }), { own: true })
}

async function mePage(parts: Parts, visit: Visit): Promise<Response> {
  const { doors, owners, clock } = parts
  const guest = doors.guest(visit)
  if (!guest) return signInPage(parts, visit)
  const done = NOTES[visit.query.get('done') ?? '']
  const note = done === undefined ? undefined : html`<p class="note good" role="status">${done}</p>`
  const main = mine(await owners.list(guest.person), guest, doors.labelOf(guest), clock, note)
  return shown(shell({ title: 'Your agents', here: 'me', main }), { own: true })
}
