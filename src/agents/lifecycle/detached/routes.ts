import { Type } from '@sinclair/typebox'
import { SESSION_CONFLICT } from '../../../host/protocol/index.ts'
import type { CityOf } from '../../../http/city-of.ts'
import { ofOtherSessions } from '../../../http/needs.ts'
import { route } from '../../../http/route.ts'
import type { DetachedProcesses } from './detached-processes.ts'
import { DetachedProcessList, DetachedProcessSweep, DetachedProcessSweepResult } from './schema.ts'

/** The operations on processes that left their session; all of them are extensions. */
export const detachedProcessRoutes = (city: CityOf<{ detached: DetachedProcesses }>) => [
  route(
    'GET ~/detached-processes',
    {
      configuration: true,
      id: 'list-detached-processes',
      summary: 'List leftover processes of sessions',
      description:
        'A program that starts a terminal session of its own, as daemons do, ends with its session only where that has a cgroup. It is recognized by its environment, and remembered when its session ends.',
      query: Type.Object({
        session: Type.Optional(Type.String({ description: 'Only those of this session: its id, alias or name.' })),
      }),
      ok: DetachedProcessList,
      errors: ['session-not-found', SESSION_CONFLICT],
      extension: true,
    },
    (x) => city(x).detached.list(x.query.session),
  ),
  route(
    'POST ~/detached-processes/sweep',
    {
      id: 'sweep-detached-processes',
      summary: 'Stop leftover processes of sessions',
      repeat: { outside: 'look with `gc session sweep`' },
      needs: ofOtherSessions('sessions'),
      description: 'Each gets TERM, KILL after five seconds, and is looked for until it is gone.',
      body: DetachedProcessSweep,
      ok: DetachedProcessSweepResult,
      errors: ['session-not-found', SESSION_CONFLICT, 'forbidden'],
      extension: true,
    },
    (x) => city(x).detached.sweep(x.caller, x.body),
  ),
]
