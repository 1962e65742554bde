import type { AgentCreated, AgentDeclare, AgentList, AgentResponse } from '../agents/agents/schema.ts'
import type { AttentionList } from '../agents/attention/schema.ts'
import type { Budget, BudgetKey, BudgetList, BudgetSet } from '../agents/budgets/schema.ts'
import type { ReadinessResponse } from '../agents/readiness/schema.ts'
import type { Conversation, Heartbeat, Restart, SessionDrifts, SessionLoan } from '../agents/sessions/runtime-schema.ts'
import type {
  Respond,
  Responded,
  SessionCreate,
  SessionList,
  SessionPrompt,
  SessionRename,
  SessionResponse,
  SessionSubmit,
  Transcript,
  TranscriptFormat,
} from '../agents/sessions/schema.ts'
import type { UsageBody } from '../agents/usage/schema.ts'
import type { WorktreeList } from '../agents/worktrees/schema.ts'
import type { EventEmit, EventEmitted, EventRotated } from '../city/events/schema.ts'
import type { CityGet, CityPatch, Status } from '../city/status/schema.ts'
import type { RigActed, RigCreate, RigCreated, RigList, RigResponse } from '../config/rigs/schema.ts'
import type {
  AsyncAcceptedResponse as Accepted,
  AsyncAcceptedBody,
  OKResponseBody,
  OKWithIDResponseBody,
} from '../http/schema.ts'
import type { SlingInputBody, SlingResponse, SlingText } from '../orchestration/sling/schema.ts'
import type {
  CityCreate,
  CityRegister,
  HostStatus,
  Stop,
  SupervisorCities,
  SupervisorHealth,
} from '../supervisor/schema.ts'
import type { BeadsBulkCreate, BeadsBulkUpdate, BeadsCreated } from '../work/beads/bulk-schema.ts'
import type {
  Bead,
  BeadAssigned,
  BeadCreateInputBody,
  BeadDependencies,
  BeadDependInput,
  BeadGraphResponse,
  BeadsImported,
  BeadUpdateBody,
  Dep,
  ListBodyBead,
} from '../work/beads/schema.ts'
import type { Claim, ClaimList, NextWork } from '../work/claims/schema.ts'
import type { BeadComment, BeadCommentCounts, BeadCommentInput, BeadCommentList } from '../work/comments/schema.ts'
import type {
  ConvoyAddInputBody,
  ConvoyCheckResponse,
  ConvoyCreateInputBody,
  ConvoyGetResponse,
  ConvoyRemoveInputBody,
  ConvoyTerms,
} from '../work/convoys/schema.ts'
import type {
  MailCountOutputBody,
  MailListBody,
  MailPatch,
  MailReplyInputBody,
  MailSendInputBody,
  Message,
} from '../work/mail/schema.ts'
import type { BeadSearch, BeadsFound } from '../work/search/schema.ts'
import type { WaitCreate, WaitListBody, WaitView } from '../work/waits/schema.ts'
import type { SocialOperations } from './social-operations.ts'

interface Page {
  cursor?: string | undefined
  limit?: number | undefined
}

/** Every operation that our own clients call, by method and contract path; `~` is the city. */
export interface Operations extends SocialOperations {
  'GET /health': { ok: SupervisorHealth }
  'GET /v0/cities': { ok: SupervisorCities }
  'POST /v0/city': { body: CityCreate; ok: Accepted }
  'POST /v0/city/register': { body: CityRegister; ok: Accepted }
  'GET /v0/host': { ok: HostStatus }
  'POST /v0/stop': { body: Stop; ok: OKResponseBody }
  'POST ~/unregister': { ok: Accepted }
  'GET ~': { ok: CityGet }
  'PATCH ~': { body: CityPatch; ok: OKResponseBody }
  'GET ~/status': { ok: Status }
  'GET ~/usage': { ok: UsageBody }
  'GET ~/budgets': { ok: BudgetList }
  'PUT ~/budgets': { body: BudgetSet; ok: Budget }
  'DELETE ~/budgets': { query: BudgetKey; ok: OKResponseBody }
  'GET /v0/readiness': { query: { items?: string; fresh?: boolean }; ok: ReadinessResponse }

  'GET ~/agents': { query: { rig?: string | undefined; pool?: string | undefined }; ok: AgentList }
  'POST ~/agents/declare': { body: AgentDeclare; ok: AgentCreated }
  'GET ~/agent/{base}': { ok: AgentResponse }
  'GET ~/agent/{dir}/{base}': { ok: AgentResponse }
  'DELETE ~/agent/{base}': { ok: OKResponseBody }
  'DELETE ~/agent/{dir}/{base}': { ok: OKResponseBody }
  'POST ~/agent/{base}/{action}': { ok: OKResponseBody }
  'POST ~/agent/{dir}/{base}/{action}': { ok: OKResponseBody }

  'GET ~/beads': { query: BeadFilter & Page; ok: ListBodyBead }
  'GET ~/beads/ready': { ok: ListBodyBead }
  'POST ~/beads': { body: BeadCreateInputBody; ok: Bead }
  'GET ~/beads/graph/{rootID}': { ok: BeadGraphResponse }
  'GET ~/bead/{id}': { ok: Bead }
  'PATCH ~/bead/{id}': { body: BeadUpdateBody; ok: OKResponseBody }
  'DELETE ~/bead/{id}': { ok: OKResponseBody }
  'POST ~/beads/import': { ok: BeadsImported }
  'POST ~/bead/{id}/assign': { body: { assignee: string }; ok: BeadAssigned }
  'POST ~/bead/{id}/close': { ok: OKResponseBody }
  'POST ~/bead/{id}/reopen': { ok: OKResponseBody }
  'POST ~/bead/{id}/unpark': { ok: Bead }
  'POST ~/beads/bulk': { body: BeadsBulkCreate; ok: BeadsCreated }
  'PATCH ~/beads/bulk': { body: BeadsBulkUpdate; ok: OKResponseBody }
  'GET ~/beads/search': { query: BeadSearch; ok: BeadsFound }
  'GET ~/bead/{id}/comments': { query: Page; ok: BeadCommentList }
  'GET ~/bead/{id}/history': { query: Page; ok: EventPage }
  'POST ~/bead/{id}/comments': { body: BeadCommentInput; ok: BeadComment }
  'GET ~/beads/comments/count': { query: { ids: string }; ok: BeadCommentCounts }
  'GET ~/bead/{id}/dependencies': { ok: BeadDependencies }
  'POST ~/bead/{id}/deps': { body: BeadDependInput; ok: Dep }
  'DELETE ~/bead/{id}/deps/{depends_on_id}': { query: { type?: string | undefined }; ok: OKResponseBody }

  'GET ~/convoys': { query: Page; ok: ListBodyBead }
  'POST ~/convoys': { body: ConvoyCreateInputBody; ok: Bead }
  'POST ~/convoys/terms': { body: ConvoyTerms; ok: Bead }
  'GET ~/convoy/{id}': { ok: ConvoyGetResponse }
  'DELETE ~/convoy/{id}': { ok: OKResponseBody }
  'POST ~/convoy/{id}/add': { body: ConvoyAddInputBody; ok: OKResponseBody }
  'POST ~/convoy/{id}/remove': { body: ConvoyRemoveInputBody; ok: OKResponseBody }
  'POST ~/convoy/{id}/close': { ok: OKResponseBody }
  'GET ~/convoy/{id}/check': { ok: ConvoyCheckResponse }

  'GET ~/events': { query: EventFilter & Page; ok: EventPage }
  'POST ~/events': { body: EventEmit; ok: EventEmitted }
  'POST ~/events/rotate': { query: { wait?: boolean | undefined }; ok: EventRotated }

  'GET ~/rigs': { query: { git?: boolean }; ok: RigList }
  'POST ~/rigs': { body: RigCreate; ok: RigCreated }
  'GET ~/rig/{name}': { query: { git?: boolean }; ok: RigResponse }
  'DELETE ~/rig/{name}': { ok: OKResponseBody }
  'POST ~/rig/{name}/{action}': { ok: RigActed }

  'GET ~/claims': { query: { session?: string | undefined }; ok: ClaimList }
  'POST ~/claims/next': { ok: NextWork }
  'POST ~/bead/{id}/claim': { ok: Claim }
  'POST ~/bead/{id}/heartbeat': { ok: Claim }
  'POST ~/bead/{id}/release': { ok: OKResponseBody }
  'POST ~/sling': { body: SlingInputBody; ok: SlingResponse }
  'POST ~/sling/text': { body: SlingText; ok: SlingResponse }

  'GET ~/mail': { query: MailFilter & Page; ok: MailListBody }
  'POST ~/mail': { body: MailSendInputBody; ok: Message }
  'GET ~/mail/count': { query: { agent?: string | undefined }; ok: MailCountOutputBody }
  'GET ~/mail/inbox': { query: { agent?: string | undefined } & Page; ok: MailListBody }
  'GET ~/mail/threads': { query: { agent?: string | undefined } & Page; ok: MailListBody }
  'GET ~/mail/thread/{id}': { ok: MailListBody }
  'GET ~/mail/{id}': { ok: Message }
  'PATCH ~/mail/{id}': { body: MailPatch; ok: Message }
  'DELETE ~/mail/{id}': { ok: OKResponseBody }
  'POST ~/mail/{id}/reply': { body: MailReplyInputBody; ok: Message }
  'POST ~/mail/{id}/read': { ok: OKResponseBody }
  'POST ~/mail/{id}/mark-unread': { ok: OKResponseBody }
  'POST ~/mail/{id}/archive': { ok: OKResponseBody }
  'GET ~/worktrees': { ok: WorktreeList }
  'DELETE ~/worktree/{session}': { query: { force?: boolean }; ok: OKResponseBody }

  'GET ~/attention': { ok: AttentionList }
  'GET ~/waits': { query: { session?: string | undefined; state?: string | undefined }; ok: WaitListBody }
  'POST ~/waits': { body: WaitCreate; ok: WaitView }
  'GET ~/wait/{id}': { ok: WaitView }
  'POST ~/wait/{id}/cancel': { ok: WaitView }
  'POST ~/wait/{id}/ready': { ok: WaitView }

  'GET ~/sessions': { query: SessionFilter & Page; ok: SessionList }
  'POST ~/sessions': { body: SessionCreate; ok: AsyncAcceptedBody }
  'GET ~/session/{id}': { query: { peek?: boolean; peek_lines?: number }; ok: SessionResponse }
  'GET ~/session/{id}/transcript': { query: { format?: TranscriptFormat; tail?: string }; ok: Transcript }
  'GET ~/session/{id}/prompt': { ok: SessionPrompt }
  'POST ~/session/{id}/lend': { ok: SessionLoan }
  'POST ~/session/{id}/submit': { body: SessionSubmit; ok: AsyncAcceptedBody }
  'POST ~/session/{id}/drain-ack': { ok: OKWithIDResponseBody }
  'POST ~/session/{id}/drain': { ok: OKWithIDResponseBody }
  'POST ~/session/{id}/undrain': { ok: OKWithIDResponseBody }
  'POST ~/session/{id}/restart': { body: Restart; ok: OKWithIDResponseBody }
  'POST ~/session/{id}/heartbeat': { body: Heartbeat; ok: OKWithIDResponseBody }
  'POST ~/session/{id}/conversation': { body: Conversation; ok: OKWithIDResponseBody }
  'POST ~/session/{id}/respond': { body: Respond; ok: Responded }
  'GET ~/sessions/drift': { ok: SessionDrifts }
  'POST ~/session/{id}/terminal-ticket': { body: { write: boolean }; ok: { ticket: string } }
  'POST ~/session/{id}/rename': { body: SessionRename; ok: SessionResponse }
  'POST ~/session/{id}/wake': { ok: OKWithIDResponseBody }
  'POST ~/session/{id}/stop': { ok: OKWithIDResponseBody }
  'POST ~/session/{id}/kill': { ok: OKWithIDResponseBody }
  'POST ~/session/{id}/suspend': { ok: OKResponseBody }
  'POST ~/session/{id}/close': { query: { delete?: boolean }; ok: OKResponseBody }
}

export interface MailFilter {
  agent?: string | undefined
  status?: string | undefined
}

export interface BeadFilter {
  status?: string | undefined
  type?: string | undefined
  label?: string | undefined
  assignee?: string | undefined
  rig?: string | undefined
  all?: boolean | undefined
}

export interface EventFilter {
  type?: string | undefined
  actor?: string | undefined
  since?: string | undefined
}

/** An event as streams and lists show it; `city` where several cities speak. */
export interface WireEvent {
  seq: number
  type: string
  ts: string
  actor: string
  subject?: string
  message?: string
  city?: string
  payload?: unknown
}

export interface EventPage {
  items: WireEvent[]
  total: number
  next_cursor?: string
}

export interface SessionFilter {
  state?: string | undefined
  template?: string | undefined
  peek?: boolean | undefined
}

export type Operation = keyof Operations
/** The operations of one city. */
export type CityOperation = Extract<Operation, `${string} ~${string}`>
export type RootOperation = Exclude<Operation, CityOperation>

type Names<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never

type Place<Op extends Operation> = [Names<Op>] extends [never] ? unknown : { params: Record<Names<Op>, string> }
type Query<Op extends Operation> = Operations[Op] extends { query: infer Q } ? { query?: Q } : unknown
type Body<Op extends Operation> = Operations[Op] extends { body: infer B } ? { body: B } : unknown

/** What a call of an operation is given. */
export type Given<Op extends Operation> = Place<Op> & Query<Op> & Body<Op>
export type Answer<Op extends Operation> = Operations[Op]['ok']
