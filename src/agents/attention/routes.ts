import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import { Bead, type Beads } from '../../work/beads/index.ts'
import type { Parking } from '../lifecycle/index.ts'
import type { Attention } from './attention.ts'
import { AttentionList } from './schema.ts'

/** The operations on what waits for a person. */
export const attentionRoutes = (city: CityOf<{ attention: Attention; parking: Parking; beads: Beads }>) => [
  route(
    'GET ~/attention',
    {
      id: 'list-attention',
      summary: 'List what waits for a person',
      description:
        'Permissions that agents ask for, dialogs of their programs, agents that cannot be started, and parked beads; the longest waiting first.',
      ok: AttentionList,
      index: true,
      extension: true,
    },
    (x) => city(x).attention.list(),
  ),
  route(
    'POST ~/bead/{id}/unpark',
    {
      id: 'unpark-bead',
      summary: 'Offer a parked bead again',
      needs: 'coordinate',
      description:
        'A bead that ended too many sessions is parked: it gets the label `gc:parked` and is not offered to anyone. This removes the label and resets the failure counts of the bead and its agent, so that it is tried at once.',
      repeat: { read: (from, id) => city(from).beads.show(id) },
      ok: Bead,
      errors: ['bead-not-found', 'conflict-wrong-state'],
      extension: true,
    },
    (x) => city(x).parking.unpark(x.caller, x.params.id),
  ),
]
