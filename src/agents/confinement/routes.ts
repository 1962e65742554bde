import { SESSION_CONFLICT } from '../../host/protocol/index.ts'
import type { CityOf } from '../../http/city-of.ts'
import { ofOtherSessions } from '../../http/needs.ts'
import { route } from '../../http/route.ts'
import { OKResponseBody } from '../../http/schema.ts'
import type { Denials } from './denials.ts'
import type { RigTrust } from './rig-trust.ts'
import { DenialList, UnconfinedList } from './schema.ts'
import type { UnconfinedSessions } from './unconfined.ts'

const repeat = { outside: 'repeating it leaves the same' } as const

/** The operations on the confinement of sessions; all of them are extensions. */
export const confinementRoutes = (
  city: CityOf<{ denials: Denials; unconfined: UnconfinedSessions; rigTrust: RigTrust }>,
) => [
  route(
    'GET ~/session/{id}/denials',
    {
      id: 'list-session-denials',
      summary: 'List denied accesses of a sandboxed session',
      description:
        'Refused connections, sockets, file modes, file owners, signals and priorities, until the session is closed. The kernel ' +
        'does not report its own denials, such as of opening a file, so they are not included.',
      needs: ofOtherSessions('watch'),
      ok: DenialList,
      errors: ['session-not-found', SESSION_CONFLICT],
      extension: true,
    },
    (x) => city(x).denials.list(x.params.id),
  ),
  route(
    'GET ~/unconfined-sessions',
    {
      configuration: true,
      id: 'list-unconfined-sessions',
      summary: 'List sessions without the sandbox they should have',
      description: 'Empty if no agent of the city is sandboxed.',
      ok: UnconfinedList,
      extension: true,
    },
    (x) => city(x).unconfined.list(),
  ),
  route(
    'POST ~/rig/{name}/trust',
    {
      id: 'trust-rig',
      summary: 'Trust the folder of a rig',
      description:
        'Programs then ask about neither its folder nor the worktrees that gc makes of it. They read what the project configures for them, such as hooks and MCP servers.',
      needs: 'operator',
      repeat,
      ok: OKResponseBody,
      errors: ['rig-not-found', 'conflict-wrong-state', 'forbidden'],
      extension: true,
    },
    (x) => city(x).rigTrust.trust(x.caller, x.params.name),
  ),
  route(
    'DELETE ~/rig/{name}/trust',
    {
      id: 'distrust-rig',
      summary: 'Revoke the trust in a rig',
      description: 'Also forgets what sessions of the rig were answered. What a program keeps in its own files stays.',
      needs: 'operator',
      repeat,
      ok: OKResponseBody,
      errors: ['rig-not-found', 'forbidden'],
      extension: true,
    },
    (x) => city(x).rigTrust.distrust(x.caller, x.params.name),
  ),
]
