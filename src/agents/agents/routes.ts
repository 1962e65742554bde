import { qualify } from '../../config/declare/index.ts'
import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import { OKResponseBody } from '../../http/schema.ts'
import { AgentOutput } from '../conversations/index.ts'
import type { Agents } from './agents.ts'
import {
  AgentCreate,
  AgentCreated,
  AgentDeclare,
  AgentDeclared,
  AgentFilter,
  AgentList,
  AgentResponse,
  AgentUpdate,
  AgentUpdateQualified,
  OutputPage,
} from './schema.ts'

interface AgentExchange {
  readonly params: { readonly cityName: string; readonly base: string; readonly dir?: string }
}

const nameOf = ({ params: { dir, base } }: AgentExchange): string => qualify(dir, base)

/** The operations under both paths of an agent: `{base}` for an agent of the city, `{dir}/{base}` for one of a rig. */
const operations = {
  get: {
    summary: 'Show an agent',
    description: 'An agent or an instance of a pool, such as `worker-2`. The name of a rig’s agent includes the rig.',
    ok: AgentResponse,
    errors: ['agent-not-found'],
    index: true,
  },
  change: {
    summary: 'Change an agent',
    needs: 'configure',
    description: 'Provider and scope are written to its file; `suspended` takes effect immediately.',
    ok: OKResponseBody,
    errors: ['invalid-request', 'agent-not-found', 'conflict-wrong-state'],
  },
  remove: {
    summary: 'Remove an agent',
    needs: 'configure',
    description: 'Its files are deleted and its sessions end. Its beads stay.',
    ok: OKResponseBody,
    errors: ['agent-not-found', 'conflict-wrong-state'],
  },
  act: {
    summary: 'Suspend, resume or restart an agent',
    needs: 'configure',
    description:
      'Suspending stops its sessions and starts no new ones until it is resumed. Resuming also retries an agent that is held after failed starts. Restarting stops its sessions and starts them again.',
    ok: OKResponseBody,
    errors: ['agent-not-found'],
  },
  output: {
    summary: 'Show the newest output of an agent',
    needs: 'watch',
    description: 'The newest part of its conversation, else the last lines of its screen.',
    query: OutputPage,
    ok: AgentOutput,
    errors: ['agent-not-found'],
  },
  follow: {
    summary: 'Follow the output of an agent',
    needs: 'watch',
    description: 'The newest output first, then each new turn.',
    ok: { frames: { turn: AgentOutput } },
    errors: ['agent-not-found'],
    responseHeaders: { 'GC-Agent-Status': '`stopped` when it does not run and only its log can be shown.' },
  },
} as const

/** The operations on agents. */
export const agentRoutes = (city: CityOf<{ agents: Agents }>) => [
  route(
    'GET ~/agents',
    {
      configuration: true,
      id: 'get-v0-city-by-city-name-agents',
      summary: 'List agents',
      needs: { needs: 'read', fields: { peek: 'coordinate' } },
      description: 'A pool is listed by its slots, a pool without a limit by its running instances.',
      query: AgentFilter,
      ok: AgentList,
      index: true,
      blocking: true,
    },
    (x) => city(x).agents.list(x.query),
  ),
  route(
    'POST ~/agents',
    {
      id: 'create-agent',
      summary: 'Create an agent',
      needs: 'configure',
      body: AgentCreate,
      ok: { 201: AgentCreated },
      errors: ['invalid-request', 'conflict-wrong-state'],
    },
    (x) => city(x).agents.create(x.caller, x.body),
  ),
  route(
    'POST ~/agents/declare',
    {
      id: 'declare-agent',
      summary: 'Create an agent with every field of a declaration',
      needs: 'configure',
      description: 'For example a command instead of a provider, a prompt, limits, an environment.',
      body: AgentDeclare,
      ok: { 201: AgentDeclared },
      errors: ['invalid-request', 'forbidden', 'conflict-wrong-state'],
      extension: true,
    },
    (x) => city(x).agents.declare(x.caller, x.body),
  ),
  route(
    'GET ~/agent/{base}',
    { configuration: true, id: 'get-v0-city-by-city-name-agent-by-base', ...operations.get },
    (x) => city(x).agents.get(nameOf(x)),
  ),
  route(
    'PATCH ~/agent/{base}',
    { id: 'patch-v0-city-by-city-name-agent-by-base', ...operations.change, body: AgentUpdate },
    (x) => city(x).agents.change(x.caller, nameOf(x), x.body),
  ),
  route('DELETE ~/agent/{base}', { id: 'delete-v0-city-by-city-name-agent-by-base', ...operations.remove }, (x) =>
    city(x).agents.remove(x.caller, nameOf(x)),
  ),
  route(
    'GET ~/agent/{base}/output',
    { id: 'get-v0-city-by-city-name-agent-by-base-output', ...operations.output },
    (x) => city(x).agents.output(nameOf(x), x.query),
  ),
  route('GET ~/agent/{base}/output/stream', { id: 'stream-agent-output', ...operations.follow }, (x) =>
    city(x).agents.follow(nameOf(x), x.signal, x.response.headers),
  ),
  route(
    'POST ~/agent/{base}/{action}',
    { id: 'post-v0-city-by-city-name-agent-by-base-by-action', ...operations.act },
    (x) => city(x).agents.act(x.caller, nameOf(x), x.params.action),
  ),
  route(
    'GET ~/agent/{dir}/{base}',
    { configuration: true, id: 'get-v0-city-by-city-name-agent-by-dir-by-base', ...operations.get },
    (x) => city(x).agents.get(nameOf(x)),
  ),
  route(
    'PATCH ~/agent/{dir}/{base}',
    { id: 'patch-v0-city-by-city-name-agent-by-dir-by-base', ...operations.change, body: AgentUpdateQualified },
    (x) => city(x).agents.change(x.caller, nameOf(x), x.body),
  ),
  route(
    'DELETE ~/agent/{dir}/{base}',
    { id: 'delete-v0-city-by-city-name-agent-by-dir-by-base', ...operations.remove },
    (x) => city(x).agents.remove(x.caller, nameOf(x)),
  ),
  route(
    'GET ~/agent/{dir}/{base}/output',
    { id: 'get-v0-city-by-city-name-agent-by-dir-by-base-output', ...operations.output },
    (x) => city(x).agents.output(nameOf(x), x.query),
  ),
  route('GET ~/agent/{dir}/{base}/output/stream', { id: 'stream-agent-output-qualified', ...operations.follow }, (x) =>
    city(x).agents.follow(nameOf(x), x.signal, x.response.headers),
  ),
  route(
    'POST ~/agent/{dir}/{base}/{action}',
    { id: 'post-v0-city-by-city-name-agent-by-dir-by-base-by-action', ...operations.act },
    (x) => city(x).agents.act(x.caller, nameOf(x), x.params.action),
  ),
]
