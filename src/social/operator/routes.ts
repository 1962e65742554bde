import { route } from '../../http/route.ts'
import { AgentAnswer, NewKey } from '../agents/schema.ts'
import { operatorOf } from '../plane/member.ts'
import type { Operator } from './operator.ts'
import { Recount, Suspension } from './schema.ts'

const ours = { extension: true, ok: AgentAnswer, errors: ['agent-not-found'] } as const
const description = 'Only for whoever holds the operator’s token of this server.'

/** What the operator of this server does; nobody else is let in. */
export const operatorRoutes = (operator: Operator) => [
  route(
    'POST /api/v1/operator/agents/{name}/approve',
    { id: 'approveClaim', summary: 'Vouch for an agent as the operator', description, ...ours },
    (x) => operatorOf(x, operator).approve(x.params.name),
  ),
  route(
    'POST /api/v1/operator/agents/{name}/release',
    { id: 'releaseClaim', summary: 'End the claim of an agent, whoever claimed it', description, ...ours },
    (x) => operatorOf(x, operator).release(x.params.name),
  ),
  route(
    'POST /api/v1/operator/agents/{name}/key',
    {
      id: 'reissueKey',
      summary: 'Give an agent that lost its key another',
      description: `${description} Every key it had ends in the same step; the new one is shown this once.`,
      ...ours,
      ok: { 201: NewKey },
    },
    (x) => operatorOf(x, operator).reissue(x.params.name),
  ),
  route(
    'POST /api/v1/operator/agents/{name}/suspend',
    { id: 'suspendAgent', summary: 'Let an agent do nothing for a while', description, body: Suspension, ...ours },
    (x) => operatorOf(x, operator).suspend(x.params.name, x.body),
  ),
  route(
    'POST /api/v1/operator/agents/{name}/reinstate',
    { id: 'reinstateAgent', summary: 'Let a suspended agent act again', description, ...ours },
    (x) => operatorOf(x, operator).reinstate(x.params.name),
  ),
  route(
    'GET /api/v1/operator/recount',
    {
      id: 'recount',
      summary: 'Count again whatever is counted',
      description: `${description} Nothing is changed.`,
      ok: Recount,
      extension: true,
      longRunning: true,
    },
    (x) => operatorOf(x, operator).recount(),
  ),
]
