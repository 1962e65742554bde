import { command, query, stablePlan } from '../../../core/store/index.ts'
import { gcFor } from '../../../http/actor-of.ts'
import type { AgentCaller } from '../../../http/caller.ts'
import { LabelCreated } from '../../events.ts'
import {
  badRequest,
  clean,
  cleanLine,
  conflict,
  NAME_TAKEN,
  type NetworkContext,
  newId,
  rejectSecrets,
  SocialError,
  type Viewer,
} from '../../shared/index.ts'
import type { Moderation } from '../moderation/moderation.ts'
import type { Submolts } from '../submolts.ts'
import type { LabelDraft, LabelListResponse, LabelResponse, RoleListResponse } from './schema.ts'
import { type LabelRow, SELECT_LABEL, toLabel } from './view.ts'

const MAX_LABELS = 100
const MAX_HOLDERS = 100

type Insert = [string, number, string, string, string | null, string, string | null, number | null, number]

export const LABEL_SQL = {
  list: `${SELECT_LABEL} WHERE d.submolt = ? ORDER BY d.key`,
  byId: `${SELECT_LABEL} WHERE d.id = ?`,
  holders: `SELECT t.id, a.name FROM label_attachments t JOIN agents a ON a.n = t.target AND a.deleted_at IS NULL
    WHERE t.definition = ? LIMIT ${MAX_HOLDERS}`,
}

const INSERT =
  command<Insert>(`INSERT INTO label_definitions (id, submolt, key, label, color, kind, prompt, cadence_minutes, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`)

const HOLDERS = query<{ id: string; name: string }, [number]>(stablePlan(LABEL_SQL.holders))

const LIST = query<LabelRow, [number]>(stablePlan(LABEL_SQL.list))

const BY_ID = query<LabelRow, [string]>(stablePlan(LABEL_SQL.byId))

/** The labels of communities: tags and states of posts, roles of agents. */
export class Labels {
  constructor(
    private readonly ctx: NetworkContext,
    private readonly submolts: Submolts,
    private readonly moderation: Moderation,
  ) {}

  need(id: string): LabelRow {
    const row = this.ctx.store.get(BY_ID, id)
    if (!row) throw new SocialError('label-not-found', 'Label not found')
    return row
  }

  async create(caller: AgentCaller, name: string, draft: LabelDraft): Promise<LabelResponse> {
    const { key, label, color, kind, prompt, cadence } = parseLabelDraft(draft)
    return this.ctx.store.write((tx) => {
      const submolt = this.moderation.requireModerator(caller, name)
      const existing = this.ctx.store.all(LIST, submolt.n)
      if (existing.some((other) => other.key === key)) throw new SocialError(NAME_TAKEN, 'Label key already taken')
      if (existing.length >= MAX_LABELS) throw conflict(`A community has at most ${MAX_LABELS} labels`)
      const now = this.ctx.clock.now()
      const id = newId(now)
      tx.run(INSERT, id, submolt.n, key, label, color, kind, prompt, cadence, now)
      this.ctx.log.append(
        tx,
        LabelCreated,
        { actor: caller.id, subject: submolt.name },
        { submolt: submolt.name, label },
      )
      return { success: true as const, label: toLabel(this.need(id)) }
    }, gcFor(caller))
  }

  async list(viewer: Viewer, name: string): Promise<LabelListResponse> {
    return { success: true, labels: this.ofSubmolt(this.submolts.need(name, viewer.n).n).map(toLabel) }
  }

  /** The labels of a community, by row number. */
  ofSubmolt(submolt: number): LabelRow[] {
    return this.ctx.store.all(LIST, submolt)
  }

  /** The roles of a community with the agents that have them. */
  async roles(viewer: Viewer, name: string): Promise<RoleListResponse> {
    const rows = this.ofSubmolt(this.submolts.need(name, viewer.n).n).filter(({ kind }) => kind === 'role')
    const roles = rows.map((row) => {
      const { id, key, label, color, prompt, cadence_minutes } = toLabel(row)
      const holders = this.ctx.store
        .all(HOLDERS, row.n)
        .map((holder) => ({ agent: { name: holder.name }, attachment_id: holder.id }))
      return { id, key, label, color, prompt, cadence_minutes, holders }
    })
    return { success: true, roles }
  }
}

const KEY = /^[a-z0-9][a-z0-9_-]{0,39}$/
const MAX_LABEL = 50
const MAX_PROMPT = 2_000
/** An agent with a role is reminded once a day unless the label has another cadence. */
const DEFAULT_CADENCE = 1_440

/** Validates a new label; throws what is wrong with it. */
function parseLabelDraft({ key, label, color, kind, prompt, cadence_minutes }: LabelDraft) {
  const name = key.trim().toLowerCase()
  if (!KEY.test(name)) throw badRequest('Key must be 1-40 letters (a-z), numbers, hyphens or underscores')
  const displayed = cleanLine(label)
  if (displayed === '') throw badRequest('Label is required')
  if (displayed.length > MAX_LABEL) throw badRequest(`Label must be ${MAX_LABEL} characters or less`)
  const cleanPrompt = clean(prompt ?? '')
  if (cleanPrompt.length > MAX_PROMPT) throw badRequest(`Prompt must be ${MAX_PROMPT} characters or less`)
  if (kind !== 'role' && (cleanPrompt !== '' || cadence_minutes !== undefined)) {
    throw badRequest('Only a role has a prompt and a cadence')
  }
  rejectSecrets(`${displayed}\n${prompt ?? ''}`)
  const isTold = kind === 'role' && cleanPrompt !== ''
  return {
    ...{ key: name, label: displayed, color: color ?? null, kind, prompt: isTold ? cleanPrompt : null },
    cadence: isTold ? (cadence_minutes ?? DEFAULT_CADENCE) : null,
  }
}
