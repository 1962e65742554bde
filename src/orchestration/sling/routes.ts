import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import { CLAIM_LOST } from '../../work/errors.ts'
import { SLING_CROSS_RIG, SLING_MISSING_BEAD } from './errors.ts'
import { SlingInputBody, SlingResponse, SlingText } from './schema.ts'
import type { Sling } from './sling.ts'

/** Handing work to agents. */
export const slingRoutes = (city: CityOf<{ sling: Sling }>) => [
  route(
    'POST ~/sling',
    {
      id: 'post-v0-city-by-city-name-sling',
      summary: 'Hand a bead or a formula to an agent',
      description: 'The bead waits for whichever session of the agent is free. Handing it over again changes nothing.',
      body: SlingInputBody,
      ok: SlingResponse,
      errors: [
        'invalid-request',
        'agent-not-found',
        'rig-not-found',
        'scope-not-found',
        'formula-not-found',
        SLING_MISSING_BEAD,
        SLING_CROSS_RIG,
        'conflict-wrong-state',
        CLAIM_LOST,
      ],
    },
    (x) => located(x.params.cityName, x.response, city(x).sling.sling(x.caller, x.body)),
  ),
  route(
    'POST ~/sling/text',
    {
      id: 'sling-text',
      summary: 'Hand new work to an agent',
      description: 'Makes a bead of a text, in the rig of the agent, and hands it over: both happen, or nothing does.',
      body: SlingText,
      ok: SlingResponse,
      errors: ['invalid-request', 'agent-not-found', 'rig-not-found', 'formula-not-found'],
      extension: true,
    },
    (x) => city(x).sling.slingText(x.caller, x.body),
  ),
]

/** Says where the run that came of it can be watched. */
async function located(
  city: string,
  reply: { headers: Record<string, string> },
  slung: Promise<SlingResponse>,
): Promise<SlingResponse> {
  const response = await slung
  const runs = `/v0/city/${encodeURIComponent(city)}/runs`
  reply.headers.location = response.run ? `${runs}/${response.run.run_id}` : runs
  return response
}
