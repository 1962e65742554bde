import type { CityOf } from '../../../http/city-of.ts'
import { route } from '../../../http/route.ts'
import { CLAIM_LOST } from '../../../work/errors.ts'
import { SLING_CROSS_RIG, SLING_MISSING_BEAD, SLING_WORKFLOW_CONFLICT } from './errors.ts'
import {
  BeadRuns,
  DefaultTarget,
  FormulaCook,
  FormulaCooked,
  SlingBatch,
  SlingCheck,
  SlingConvoy,
  SlingInputBody,
  SlingResponse,
  SlingText,
} from './schema.ts'
import type { Sling } from './sling.ts'
import type { SlingSources } from './source-runs.ts'

/** The operations that sling work. */
export const slingRoutes = (city: CityOf<{ sling: Sling; slingSources: SlingSources }>) => [
  route(
    'POST ~/sling',
    {
      id: 'post-v0-city-by-city-name-sling',
      summary: 'Sling a bead or a formula to an agent',
      needs: { needs: 'work', fields: { force: 'coordinate', reassign: 'coordinate' } },
      description: 'Whichever session of the agent is free claims the bead. Slinging it again changes nothing.',
      body: SlingInputBody,
      ok: SlingResponse,
      errors: [
        'invalid-request',
        'agent-not-found',
        'rig-not-found',
        'scope-not-found',
        SLING_MISSING_BEAD,
        SLING_CROSS_RIG,
        SLING_WORKFLOW_CONFLICT,
        'conflict-wrong-state',
        CLAIM_LOST,
      ],
    },
    (exchange) =>
      withLocation(
        exchange.params.cityName,
        exchange.response,
        city(exchange).sling.sling(exchange.caller, exchange.body),
      ),
  ),
  route(
    'POST ~/sling/text',
    {
      id: 'sling-text',
      summary: 'Create a bead and sling it to an agent',
      needs: 'work',
      description: 'The bead is created in the rig of the agent. Both happen, or nothing does.',
      body: SlingText,
      ok: SlingResponse,
      errors: ['invalid-request', 'agent-not-found', 'rig-not-found'],
      extension: true,
    },
    (exchange) => city(exchange).sling.slingText(exchange.caller, exchange.body),
  ),
  route(
    'POST ~/sling/check',
    {
      id: 'check-sling',
      summary: 'Check a sling without performing it',
      repeat: 'again',
      description: 'The agent, the bead, the formula and its variables are checked as by a sling. Nothing is written.',
      needs: 'read',
      body: SlingInputBody,
      ok: SlingCheck,
      errors: [
        'invalid-request',
        'agent-not-found',
        'rig-not-found',
        'scope-not-found',
        SLING_MISSING_BEAD,
        'conflict-wrong-state',
      ],
      extension: true,
    },
    (exchange) => city(exchange).sling.check(exchange.body),
  ),
  route(
    'POST ~/sling/convoy',
    {
      id: 'sling-convoy',
      summary: 'Sling the open beads of a convoy',
      needs: { needs: 'work', fields: { force: 'coordinate', reassign: 'coordinate' } },
      description: 'One that cannot be slung hinders no other. Slinging them again changes nothing.',
      body: SlingConvoy,
      ok: SlingBatch,
      errors: [
        'invalid-request',
        'agent-not-found',
        'rig-not-found',
        SLING_MISSING_BEAD,
        SLING_WORKFLOW_CONFLICT,
        'conflict-wrong-state',
      ],
      extension: true,
    },
    (exchange) => city(exchange).sling.slingConvoy(exchange.caller, exchange.body),
  ),
  route(
    'GET ~/bead/{id}/runs',
    {
      id: 'list-bead-runs',
      summary: 'List the active runs of a bead',
      ok: BeadRuns,
      errors: ['bead-not-found'],
      extension: true,
    },
    (exchange) => city(exchange).slingSources.runs(exchange.params.id),
  ),
  route(
    'GET ~/bead/{id}/default-target',
    {
      id: 'get-default-target',
      summary: 'Show the default recipient of a bead',
      description: 'A random one of the `default_sling_targets` of its rig, or its `default_sling_target`.',
      ok: DefaultTarget,
      errors: ['bead-not-found', 'invalid-request'],
      extension: true,
    },
    (exchange) => city(exchange).slingSources.defaultTarget(exchange.params.id),
  ),
  route(
    'POST ~/formulas/{name}/cook',
    {
      id: 'cook-formula',
      summary: "Create a formula's beads unassigned",
      needs: 'work',
      description: 'Nothing of it is routed. A graph begins all the same: gc acts on its controls.',
      body: FormulaCook,
      ok: { 201: FormulaCooked },
      errors: ['invalid-request', SLING_MISSING_BEAD, 'conflict-wrong-state'],
      extension: true,
    },
    (exchange) => city(exchange).sling.cook(exchange.caller, exchange.params.name, exchange.body),
  ),
]

/** Sets the Location header to the run that was started. */
async function withLocation(
  city: string,
  reply: { headers: Record<string, string> },
  sling: Promise<SlingResponse>,
): Promise<SlingResponse> {
  const response = await sling
  const runs = `/v0/city/${encodeURIComponent(city)}/runs`
  reply.headers.location = response.run ? `${runs}/${response.run.run_id}` : runs
  return response
}
