import {
  type ClientContext,
  type InitializeRequest,
  type InitializeResponse,
  type McpServer,
  methods,
  type NewSessionResponse,
  PROTOCOL_VERSION,
  RequestError,
  type SessionConfigOption,
} from '@agentclientprotocol/sdk'
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { AppError, errorMessage } from '../../core/errors.ts'
import type { AgentMode, ToolServer } from '../protocol/index.ts'
import { type AgentServices, capabilitiesOf } from './client.ts'

const SET_MODEL = 'session/set_model'
const AUTH_REQUIRED = -32000

/** Requested settings of a conversation before its first turn. */
export interface HandshakeOptions {
  cwd: string
  services: AgentServices | undefined
  /** The agent's name for an earlier conversation to continue with. */
  resume?: string | undefined
  mode?: string | undefined
  model?: string | undefined
  servers?: readonly ToolServer[] | undefined
}

/** A conversation with an agent. */
export interface OpenedConversation {
  conversation: string
  resumed: boolean
  resumable: boolean
  model?: string
  mode?: string
  modes: AgentMode[]
}

/** Result of the handshake. */
interface HandshakeResult {
  opened: OpenedConversation
  /** Has the agent work in another of its modes; throws when it does not offer that mode. */
  setMode(mode: string): Promise<void>
  /** Requests that could not be met, a sentence each. */
  warnings: string[]
}

/** Agrees on the protocol, then opens a conversation; throws a sentence that says what to do. */
export async function performHandshake(
  agent: ClientContext,
  build: string,
  wanted: HandshakeOptions,
): Promise<HandshakeResult> {
  const hello: InitializeRequest = {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: capabilitiesOf(wanted.services),
    clientInfo: { name: 'gc', version: build },
  }
  const initialized = await agent.request(methods.agent.initialize, hello)
  if (initialized.protocolVersion !== PROTOCOL_VERSION) {
    throw new AppError(
      'bad-gateway',
      `the agent speaks version ${initialized.protocolVersion} of the protocol, not ${PROTOCOL_VERSION}`,
    )
  }
  const { servers, unusable } = usableServers(initialized, wanted.servers ?? [])
  const { conversation, resumed, state } = await open(agent, initialized, wanted, servers)
  const offered = modesOf(state)
  const chosen = await chooseMode(agent, conversation, offered, wanted.mode)
  const mode = chosen ?? offered.current
  const models = modelsOf(state)
  const modelError = await chooseModel(agent, conversation, models, wanted.model)
  const model = modelError === undefined ? (wanted.model ?? models.current) : models.current
  const opened = {
    conversation,
    resumed,
    resumable: resumes(initialized) !== undefined,
    modes: offered.modes,
    ...(mode && { mode }),
    ...(model && { model }),
  }
  const warnings = modelError === undefined ? unusable : [...unusable, modelError]
  return {
    opened,
    warnings,
    setMode: (to) => chooseMode(agent, conversation, { ...offered, current: undefined }, to).then(() => {}),
  }
}

type ConversationState = Pick<NewSessionResponse, 'modes' | 'configOptions'>

async function open(
  agent: ClientContext,
  initialized: InitializeResponse,
  { cwd, resume }: HandshakeOptions,
  mcpServers: McpServer[],
) {
  const again =
    resume === undefined
      ? undefined
      : await resumeConversation(agent, initialized, { sessionId: resume, cwd, mcpServers })
  if (again && resume !== undefined) return { conversation: resume, resumed: true, state: again }
  try {
    const state = await agent.request(methods.agent.session.new, { cwd, mcpServers })
    return { conversation: state.sessionId, resumed: false, state }
  } catch (error) {
    if (!(error instanceof RequestError) || error.code !== AUTH_REQUIRED) throw error
    const methods = (initialized.authMethods ?? []).map(({ name, description }) => description ?? name).join('; ')
    throw new AppError('service-unavailable', `the agent must be logged in first${methods ? `: ${methods}` : ''}`)
  }
}

/** The servers of tools that the agent can reach, as the protocol has them, and why it cannot reach the others. */
function usableServers({ agentCapabilities }: InitializeResponse, wanted: readonly ToolServer[]) {
  const capabilities = agentCapabilities?.mcpCapabilities
  const pairs = (of: Readonly<Record<string, string>>) => Object.entries(of).map(([name, value]) => ({ name, value }))
  const servers: McpServer[] = []
  const unusable: string[] = []
  for (const server of wanted) {
    if ('command' in server) servers.push({ ...server, env: pairs(server.env) })
    else if (capabilities?.[server.type]) servers.push({ ...server, headers: pairs(server.headers) })
    else unusable.push(`the agent cannot use MCP server ${server.name}: it reaches none by ${server.type}`)
  }
  return { servers, unusable }
}

/** Continues with an earlier conversation; undefined when the agent cannot, and then a new one is begun. */
async function resumeConversation(
  agent: ClientContext,
  initialized: InitializeResponse,
  params: { sessionId: string; cwd: string; mcpServers: McpServer[] },
): Promise<ConversationState | undefined> {
  const method = resumes(initialized)
  if (!method) return undefined
  try {
    return (await agent.request(method, params)) ?? {}
  } catch (error) {
    if (error instanceof RequestError) return undefined
    throw error
  }
}

interface OfferedModels {
  ids: string[]
  current: string | undefined
  /** The option that stands for the model; absent with agents that have a call of its own for it. */
  option: string | undefined
}

/** The models it can work with, and the current one, if it reports it. */
function modelsOf(state: ConversationState): OfferedModels {
  const option = state.configOptions?.find(({ category }) => category === 'model')
  if (option?.type === 'select') {
    const ids = option.options.flatMap((one) => ('options' in one ? one.options : [one])).map(({ value }) => value)
    return { ids, current: option.currentValue, option: option.id }
  }
  const models: unknown = 'models' in state ? state.models : undefined
  if (!Value.Check(ModelState, models)) return { ids: [], current: undefined, option: undefined }
  return {
    ids: models.availableModels.map(({ modelId }) => modelId),
    current: models.currentModelId,
    option: undefined,
  }
}

/** Models as reported by agents with `session/set_model`, which is not in the stable protocol yet. */
const ModelState = Type.Object({
  availableModels: Type.Array(Type.Object({ modelId: Type.String() })),
  currentModelId: Type.String(),
})

/** Has the agent work with a model; says why it continues with its own when it does not offer that one. */
async function chooseModel(
  agent: ClientContext,
  sessionId: string,
  { ids, current, option }: OfferedModels,
  wanted?: string,
) {
  if (wanted === undefined || wanted === current) return undefined
  if (!ids.includes(wanted)) {
    return `the agent has no model "${wanted}" and keeps ${current ?? 'its default'}; it has ${ids.join(', ') || 'no choice'}`
  }
  if (option === undefined) await agent.request(SET_MODEL, { sessionId, modelId: wanted })
  else await agent.request(methods.agent.session.setConfigOption, { sessionId, configId: option, value: wanted })
  return undefined
}

/** Way in which the agent resumes a conversation: without a replay, if possible. */
function resumes({ agentCapabilities }: InitializeResponse) {
  if (agentCapabilities?.sessionCapabilities?.resume) return methods.agent.session.resume
  return agentCapabilities?.loadSession ? methods.agent.session.load : undefined
}

interface OfferedModes {
  modes: AgentMode[]
  current: string | undefined
  /** The option that stands for the mode, with agents that have no modes of their own kind. */
  option: string | undefined
}

function modesOf({ modes, configOptions }: ConversationState): OfferedModes {
  if (modes) {
    const offered = modes.availableModes.map(({ id, name, description }) => mode(id, name, description))
    return { modes: offered, current: modes.currentModeId, option: undefined }
  }
  const option = configOptions?.find(isModeOption)
  if (option?.type !== 'select') return { modes: [], current: undefined, option: undefined }
  const flat = option.options.flatMap((one) => ('options' in one ? one.options : [one]))
  const offered = flat.map(({ value, name, description }) => mode(value, name, description))
  return { modes: offered, current: option.currentValue, option: option.id }
}

const isModeOption = ({ category, id }: SessionConfigOption): boolean => (category ?? id) === 'mode'

const mode = (id: string, name: string, description: string | null | undefined): AgentMode => ({
  id,
  name,
  ...(description && { description }),
})

async function chooseMode(agent: ClientContext, sessionId: string, offered: OfferedModes, wanted: string | undefined) {
  if (wanted === undefined || wanted === offered.current) return undefined
  if (!offered.modes.some(({ id }) => id === wanted)) {
    const ids = offered.modes.map(({ id }) => id).join(', ')
    throw new AppError('validation-failed', `the agent has no mode "${wanted}"; it has ${ids || 'none'}`)
  }
  if (offered.option === undefined) await agent.request(methods.agent.session.setMode, { sessionId, modeId: wanted })
  else {
    const params = { sessionId, configId: offered.option, value: wanted }
    await agent.request(methods.agent.session.setConfigOption, params)
  }
  return wanted
}

/** Reason the communication with an agent failed, in a sentence with its details. */
export function agentErrorMessage(error: unknown): string {
  if (!(error instanceof RequestError)) return errorMessage(error)
  const { data } = error
  const details = typeof data === 'object' && data !== null && 'details' in data ? `: ${data.details}` : ''
  return `${error.message}${details}`
}
