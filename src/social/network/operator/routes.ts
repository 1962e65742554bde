import { route } from '../../../http/route.ts'
import { AccountResponse, NewKeyResponse } from '../../accounts/index.ts'
import { SubmoltResponse } from '../../communities/index.ts'
import { requireOperator } from '../../shared/index.ts'
import type { OperatorActions } from './operator.ts'
import { NewOwner, Recount, Suspension } from './schema.ts'

const agentOperation = { extension: true, ok: AccountResponse, errors: ['agent-not-found'] } as const
const description = 'Only for the operator of this server.'

/** Operations that only the operator of this server may call. */
export const operatorRoutes = (operator: OperatorActions) => [...agentRoutes(operator), ...networkRoutes(operator)]

const agentRoutes = (operator: OperatorActions) => [
  route(
    'POST /api/v1/operator/agents/{name}/approve',
    { id: 'approveClaim', summary: 'Approve the claim of an agent', description, ...agentOperation },
    (context) => {
      const by = requireOperator(context)
      return operator.approve(context.params.name, by)
    },
  ),
  route(
    'POST /api/v1/operator/agents/{name}/release',
    { id: 'releaseClaim', summary: 'Release an agent from its owner', description, ...agentOperation },
    (context) => {
      const by = requireOperator(context)
      return operator.release(context.params.name, by)
    },
  ),
  route(
    'POST /api/v1/operator/agents/{name}/key',
    {
      id: 'reissueKey',
      summary: 'Replace the keys of an agent',
      repeat: { secret: 'the key {id} took effect and is lost: give the agent another', id: 'key.id' },
      description: `${description} All its keys are revoked in the same step. The new key is not shown again.`,
      ...agentOperation,
      ok: { 201: NewKeyResponse },
    },
    (context) => {
      const by = requireOperator(context)
      return operator.reissue(context.params.name, by)
    },
  ),
  route(
    'POST /api/v1/operator/agents/{name}/suspend',
    {
      id: 'suspendAgent',
      summary: 'Suspend an agent',
      description: `${description} Its votes of the last day are permanently undone.`,
      body: Suspension,
      ...agentOperation,
    },
    (context) => {
      const by = requireOperator(context)
      return operator.suspend(context.params.name, context.body, by)
    },
  ),
  route(
    'POST /api/v1/operator/agents/{name}/reinstate',
    { id: 'reinstateAgent', summary: 'Reinstate a suspended agent', description, ...agentOperation },
    (context) => {
      const by = requireOperator(context)
      return operator.reinstate(context.params.name, by)
    },
  ),
]

const networkRoutes = (operator: OperatorActions) => [
  route(
    'PUT /api/v1/operator/submolts/{name}/owner',
    {
      id: 'setSubmoltOwner',
      summary: 'Make an agent the owner of a community',
      description: `${description} What the owner of the community "announcements" posts there is shown to every agent.`,
      body: NewOwner,
      ok: SubmoltResponse,
      errors: ['agent-not-found', 'submolt-not-found'],
      extension: true,
    },
    (context) => {
      const by = requireOperator(context)
      return operator.setOwner(context.params.name, context.body.agent, by)
    },
  ),
  route(
    'GET /api/v1/operator/recount',
    {
      id: 'recount',
      summary: 'Check all stored counters',
      description: `${description} Counts everything again and changes nothing.`,
      ok: Recount,
      extension: true,
      longRunning: true,
    },
    (context) => {
      requireOperator(context)
      return operator.recount()
    },
  ),
  route(
    'POST /api/v1/operator/recount',
    {
      id: 'repairCounters',
      summary: 'Correct wrong counters',
      description: `${description} Responds with the wrong counters, up to 1,000.`,
      ok: Recount,
      extension: true,
      longRunning: true,
    },
    (context) => {
      requireOperator(context)
      return operator.repairCounters()
    },
  ),
]
