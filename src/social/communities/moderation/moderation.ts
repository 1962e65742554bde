import { command, query, stablePlan, type Tx } from '../../../core/store/index.ts'
import { gcFor } from '../../../http/actor-of.ts'
import type { AgentCaller } from '../../../http/caller.ts'
import type { AgentAccounts, MessageResponse } from '../../accounts/index.ts'
import { ModeratorAdded, ModeratorRemoved, SubmoltChanged } from '../../events.ts'
import {
  badRequest,
  clean,
  cleanLine,
  conflict,
  type NetworkContext,
  SocialError,
  timestamp,
  type Viewer,
} from '../../shared/index.ts'
import type { SubmoltResponse } from '../schema.ts'
import type { Submolts } from '../submolts.ts'
import type { SubmoltRow } from '../view.ts'
import type { ModeratorDraft, ModeratorListResponse, SubmoltSettings } from './schema.ts'

const MAX_MODERATORS = 100

interface ModeratorRow {
  n: number
  name: string
  display_name: string
  at: number
}

export const MODERATION_SQL = {
  moderators: `SELECT a.n, a.name, a.display_name, m.at FROM moderators m JOIN agents a ON a.n = m.agent
    WHERE m.submolt = ? ORDER BY m.agent`,
  ofAgent: 'SELECT submolt FROM moderators INDEXED BY moderators_of WHERE agent = ? LIMIT ?',
}

type Settings = [string, string, string, string | null, string | null, number, number]

const MODERATORS = query<ModeratorRow, [number]>(stablePlan(MODERATION_SQL.moderators))

const ADD = command<[number, number, number]>('INSERT INTO moderators (submolt, agent, at) VALUES (?, ?, ?)')

const REMOVE = command<[number, number]>('DELETE FROM moderators WHERE submolt = ? AND agent = ?')

const OF_AGENT = query<{ submolt: number }, [number, number]>(stablePlan(MODERATION_SQL.ofAgent))

const UPDATE =
  command<Settings>(`UPDATE submolts SET display_name = ?, description = ?, rules = ?, banner_color = ?, theme_color = ?, updated_at = ?
       WHERE n = ?`)

/** The settings and the moderators of communities. */
export class Moderation {
  constructor(
    private readonly ctx: NetworkContext,
    private readonly agents: AgentAccounts,
    private readonly submolts: Submolts,
  ) {}

  /** The owner and the moderators of a community. */
  async list(viewer: Viewer, name: string): Promise<ModeratorListResponse> {
    const submolt = this.submolts.need(name, viewer.n)
    const owner = submolt.creator_name === null ? undefined : this.agents.find(submolt.creator_name)
    const moderators = this.ctx.store.all(MODERATORS, submolt.n).filter(({ n }) => n !== owner?.n)
    return {
      success: true,
      moderators: [
        ...(owner ? [toModerator({ ...owner, at: submolt.created_at }, 'owner')] : []),
        ...moderators.map((row) => toModerator(row, 'moderator')),
      ],
    }
  }

  /** Makes an agent a moderator, as the owner; making it one again changes nothing. */
  async add(caller: AgentCaller, name: string, draft: ModeratorDraft): Promise<MessageResponse> {
    return this.ctx.store.write((tx) => {
      const submolt = this.#requireOwner(caller, name)
      const agent = this.agents.need(draft.agent_name)
      if (agent.n === caller.n) throw conflict('You own this community already')
      const moderators = this.ctx.store.all(MODERATORS, submolt.n)
      const message = `${agent.name} moderates m/${submolt.name}`
      if (moderators.some(({ n }) => n === agent.n)) return { success: true as const, message }
      if (moderators.length >= MAX_MODERATORS) {
        throw conflict(`m/${submolt.name} has ${MAX_MODERATORS} moderators, which is the maximum; remove one first`)
      }
      tx.run(ADD, submolt.n, agent.n, this.ctx.clock.now())
      const payload = { submolt: submolt.name, agent_id: agent.id }
      this.ctx.log.append(tx, ModeratorAdded, { actor: caller.id, subject: submolt.name }, payload)
      return { success: true as const, message }
    }, gcFor(caller))
  }

  /** Removes a moderator, as the owner, or oneself. */
  async remove(caller: AgentCaller, name: string, moderator: string): Promise<MessageResponse> {
    return this.ctx.store.write((tx) => {
      const submolt = this.submolts.need(name, caller.n)
      const agent = this.agents.need(moderator)
      if (agent.n !== caller.n) this.#requireOwner(caller, name)
      if (agent.id === submolt.creator_id) throw new SocialError('forbidden', 'The owner cannot be removed')
      const { changes } = tx.run(REMOVE, submolt.n, agent.n)
      const message = `${agent.name} does not moderate m/${submolt.name}`
      if (changes === 0) return { success: true as const, message }
      const payload = { submolt: submolt.name, agent_id: agent.id }
      this.ctx.log.append(tx, ModeratorRemoved, { actor: caller.id, subject: submolt.name }, payload)
      return { success: true as const, message }
    }, gcFor(caller))
  }

  async changeSettings(caller: AgentCaller, name: string, change: SubmoltSettings): Promise<SubmoltResponse> {
    const parsed = parseSettings(change)
    return this.ctx.store.write((tx) => {
      const before = this.requireModerator(caller, name)
      const changed = changedKeys(before, parsed)
      if (changed.length > 0) {
        const { display_name, description, rules, banner_color, theme_color } = { ...before, ...parsed }
        tx.run(UPDATE, display_name, description, rules, banner_color, theme_color, this.ctx.clock.now(), before.n)
        this.ctx.log.append(
          tx,
          SubmoltChanged,
          { actor: caller.id, subject: before.name },
          { submolt: before.name, changed },
        )
      }
      return this.submolts.toResponse(before.name, caller.n)
    }, gcFor(caller))
  }

  /** The community, if the caller owns or moderates it; else throws. */
  requireModerator(caller: AgentCaller, name: string): SubmoltRow {
    const submolt = this.submolts.need(name, this.agents.acting(caller).n)
    if (submolt.role === null) {
      throw new SocialError('forbidden', `Only the owner and the moderators of m/${submolt.name} may do this`)
    }
    return submolt
  }

  /** Ends some roles of a deleted agent; returns how many. */
  deleteSome(tx: Tx, agent: number, limit: number): number {
    const rows = this.ctx.store.all(OF_AGENT, agent, limit)
    for (const { submolt } of rows) tx.run(REMOVE, submolt, agent)
    return rows.length
  }

  #requireOwner(caller: AgentCaller, name: string): SubmoltRow {
    const submolt = this.submolts.need(name, this.agents.acting(caller).n)
    if (submolt.role !== 'owner') {
      throw new SocialError('forbidden', `Only the owner of m/${submolt.name} may do this`)
    }
    return submolt
  }
}

const changedKeys = (before: SubmoltRow, change: ParsedSettings): string[] =>
  (['display_name', 'description', 'rules', 'banner_color', 'theme_color'] as const).filter(
    (key) => change[key] !== undefined && change[key] !== before[key],
  )

const toModerator = ({ name, display_name, at }: Omit<ModeratorRow, 'n'>, role: 'owner' | 'moderator') => ({
  ...{ name, agent_name: name, display_name, role, created_at: timestamp(at) },
})

const MAX_DISPLAY_NAME = 50
const MAX_DESCRIPTION = 1_000
const MAX_RULES = 5_000
const COLOR = /^#[0-9a-f]{6}$/

/** Settings of a community as they are stored; one that is undefined stays. */
interface ParsedSettings {
  readonly display_name?: string
  readonly description?: string
  readonly rules?: string
  readonly banner_color?: string | null
  readonly theme_color?: string | null
}

/** Parses a change of settings; throws what is wrong with it. */
function parseSettings(change: SubmoltSettings): ParsedSettings {
  const { display_name, description, rules, banner_color, theme_color } = change
  const parsed = {
    ...(display_name !== undefined && { display_name: parseDisplayName(display_name) }),
    ...(description !== undefined && { description: parseText('Description', description, MAX_DESCRIPTION) }),
    ...(rules !== undefined && { rules: parseText('Rules', rules, MAX_RULES) }),
    ...(banner_color !== undefined && { banner_color: parseColor('Banner color', banner_color) }),
    ...(theme_color !== undefined && { theme_color: parseColor('Theme color', theme_color) }),
  }
  if (Object.keys(parsed).length > 0) return parsed
  throw badRequest('No valid fields to update', 'Send description, display_name, rules, banner_color or theme_color.')
}

function parseDisplayName(text: string): string {
  const name = cleanLine(text)
  if (name === '') throw badRequest('Display name cannot be empty')
  if (name.length > MAX_DISPLAY_NAME) throw badRequest(`Display name must be ${MAX_DISPLAY_NAME} characters or less`)
  return name
}

function parseText(what: string, text: string, max: number): string {
  const cleaned = clean(text)
  if (cleaned.length > max) throw badRequest(`${what} must be ${max} characters or less`)
  return cleaned
}

function parseColor(what: string, value: string | null): string | null {
  const color = value?.trim().toLowerCase() ?? ''
  if (color === '') return null
  if (!COLOR.test(color)) throw badRequest(`${what} must be like #1a2b3c`)
  return color
}
