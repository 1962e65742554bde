import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import { OKResponseBody } from '../../http/schema.ts'
import { Bead, type Beads } from '../../work/beads/index.ts'
import type { Parking } from '../lifecycle/index.ts'
import type { Attention } from './attention.ts'
import type { AttentionMutes } from './mutes.ts'
import { AttentionKindList, AttentionList, AttentionMute, MuteRequest } from './schema.ts'

/** The operations on what waits for a person. */
export const attentionRoutes = (
  city: CityOf<{ attention: Attention; attentionMutes: AttentionMutes; parking: Parking; beads: Beads }>,
) => [
  route(
    'GET ~/attention',
    {
      id: 'list-attention',
      summary: 'List items that need attention',
      description:
        'Permissions that agents ask for, dialogs of their programs, agents that cannot be started, and parked beads; the longest waiting first.',
      ok: AttentionList,
      index: true,
      extension: true,
    },
    (x) => city(x).attention.list(),
  ),
  route(
    'GET ~/attention-kinds',
    {
      id: 'list-attention-kinds',
      summary: 'List the kinds of attention items',
      description: 'Lists the kinds with their meaning and the current mute of each.',
      ok: AttentionKindList,
      extension: true,
    },
    (x) => city(x).attentionMutes.kinds(),
  ),
  route(
    'POST ~/attention-kind/{kind}/mute',
    {
      id: 'mute-attention-kind',
      summary: 'Mute a kind of attention items',
      needs: 'operator',
      description:
        'Its items are neither listed nor announced until it is unmuted, or until the given time. They keep waiting.',
      body: MuteRequest,
      ok: AttentionMute,
      errors: ['attention-kind-not-found', 'forbidden'],
      extension: true,
    },
    (x) => city(x).attentionMutes.mute(x.caller, x.params.kind, x.body.until),
  ),
  route(
    'POST ~/attention-kind/{kind}/unmute',
    {
      id: 'unmute-attention-kind',
      summary: 'Unmute a kind of attention items',
      needs: 'operator',
      ok: OKResponseBody,
      errors: ['attention-kind-not-found', 'forbidden'],
      extension: true,
    },
    (x) => city(x).attentionMutes.unmute(x.caller, x.params.kind),
  ),
  route(
    'POST ~/bead/{id}/unpark',
    {
      id: 'unpark-bead',
      summary: 'Unpark a bead',
      needs: 'coordinate',
      description:
        'A bead that ended too many sessions is parked: it gets the label `gc:parked` and is not offered as work. This removes the label and resets the failure counts of the bead and its agent, so that the bead is retried immediately.',
      repeat: { read: (from, id) => city(from).beads.show(id) },
      ok: Bead,
      errors: ['bead-not-found', 'conflict-wrong-state'],
      extension: true,
    },
    (x) => city(x).parking.unpark(x.caller, x.params.id),
  ),
]
