import { Type } from '@sinclair/typebox'
import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import type { Landings } from './landings.ts'
import { Landing, LandingList, LandingLog, LandingStateName, LandReason, LandStatus, LandSubmit } from './schema.ts'

const ERRORS = ['landing-not-found', 'conflict-wrong-state'] as const
const RIG_ERRORS = ['rig-not-found', 'conflict-wrong-state'] as const

/** The operations on landings; all of them are extensions. */
export const landingRoutes = (city: CityOf<{ landings: Landings }>) => [
  route(
    'GET ~/landings',
    {
      id: 'list-landings',
      summary: 'List landings',
      query: Type.Object({
        rig: Type.Optional(Type.String()),
        state: Type.Optional(LandingStateName),
        cursor: Type.Optional(Type.String()),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, description: '100 when absent.' })),
      }),
      ok: LandingList,
      errors: ['invalid-cursor'],
      extension: true,
    },
    (x) => city(x).landings.list(x.query),
  ),
  route(
    'GET ~/landing/{id}',
    { id: 'get-landing', summary: 'Show a landing', ok: Landing, errors: ['landing-not-found'], extension: true },
    (x) => city(x).landings.show(x.params.id),
  ),
  route(
    'GET ~/landing/{id}/log',
    {
      id: 'get-landing-log',
      summary: 'Show the batches and checks of a landing',
      ok: LandingLog,
      errors: ['landing-not-found'],
      extension: true,
    },
    (x) => city(x).landings.log(x.params.id),
  ),
  route(
    'POST ~/landing/{id}/retry',
    {
      id: 'retry-landing',
      summary: 'Retry a landing',
      description:
        'Retries a landing that was returned, parked, lost or unreadable: with the submitted commit, as a first attempt.',
      needs: { needs: 'operator', grant: 'land' },
      body: LandReason,
      ok: Landing,
      errors: [...ERRORS],
      extension: true,
    },
    (x) => city(x).landings.change(x.caller, 'retry', x.params.id, x.body.reason),
  ),
  route(
    'POST ~/landing/{id}/cancel',
    {
      id: 'cancel-landing',
      summary: 'Remove a branch from the queue',
      needs: { needs: 'coordinate', grant: 'land' },
      body: LandReason,
      ok: Landing,
      errors: [...ERRORS],
      extension: true,
    },
    (x) => city(x).landings.change(x.caller, 'cancel', x.params.id, x.body.reason),
  ),
  route(
    'POST ~/landing/{id}/hold',
    {
      id: 'hold-landing',
      summary: 'Hold a branch until it is released',
      needs: { needs: 'coordinate', grant: 'land' },
      body: LandReason,
      ok: Landing,
      errors: [...ERRORS],
      extension: true,
    },
    (x) => city(x).landings.change(x.caller, 'hold', x.params.id, x.body.reason),
  ),
  route(
    'POST ~/landing/{id}/release',
    {
      id: 'release-landing',
      summary: 'Let a held branch land',
      description: 'Overrides the reason for the hold, for this commit only. The commit then needs no approval.',
      needs: { needs: 'operator', grant: 'land' },
      body: LandReason,
      ok: Landing,
      errors: [...ERRORS],
      extension: true,
    },
    (x) => city(x).landings.change(x.caller, 'release', x.params.id, x.body.reason),
  ),
  route(
    'POST ~/landing/{id}/give-up',
    {
      id: 'give-up-landing',
      summary: 'Give up a branch that cannot land',
      description: 'For the owner of a conflict or a red check. The reason is kept with it.',
      needs: { needs: 'work', grant: 'land' },
      body: LandReason,
      ok: Landing,
      errors: [...ERRORS],
      extension: true,
    },
    (x) => city(x).landings.change(x.caller, 'give-up', x.params.id, x.body.reason),
  ),
  route(
    'GET ~/rig/{name}/land',
    {
      id: 'get-rig-landing',
      summary: 'Show the landings of a rig',
      ok: LandStatus,
      errors: ['rig-not-found'],
      extension: true,
    },
    (x) => city(x).landings.status(x.params.name),
  ),
  route(
    'POST ~/rig/{name}/land',
    {
      id: 'submit-landing',
      summary: 'Submit a branch for landing',
      description:
        'Uncommitted changes are rejected. A branch that was submitted before keeps its place. The branch has landed only when its state is `landed`.',
      needs: { needs: 'work', grant: 'land' },
      body: LandSubmit,
      ok: { 202: Landing },
      errors: ['bead-not-found', 'invalid-request', 'service-unavailable', 'session-not-found', ...RIG_ERRORS],
      extension: true,
    },
    (x) => city(x).landings.submit(x.caller, x.params.name, x.body),
  ),
  route(
    'POST ~/rig/{name}/land/pause',
    {
      id: 'pause-rig-landing',
      summary: 'Pause landing in a rig',
      needs: { needs: 'operator', grant: 'land' },
      ok: LandStatus,
      errors: [...RIG_ERRORS],
      extension: true,
    },
    (x) => city(x).landings.pause(x.caller, x.params.name),
  ),
  route(
    'POST ~/rig/{name}/land/resume',
    {
      id: 'resume-rig-landing',
      summary: 'Resume landing in a rig',
      description: 'Ends a pause, and has gc try again what made it stop.',
      needs: { needs: 'operator', grant: 'land' },
      ok: LandStatus,
      errors: [...RIG_ERRORS],
      extension: true,
    },
    (x) => city(x).landings.resume(x.caller, x.params.name),
  ),
]
