import type { TranscriptSearcher } from '../conversations/index.ts'
import type { SessionCreator } from '../lifecycle/index.ts'
import type { Interactions } from '../messaging/index.ts'
import type { SessionControl } from './control.ts'
import type { SessionCredentials } from './credentials.ts'
import type { SessionDrains } from './drains.ts'
import type { DriftedSessions } from './drifted-sessions.ts'
import type { SessionEditor } from './editor.ts'
import type { Lending } from './lending.ts'
import type { MessageSender } from './message-sender.ts'
import type { PendingRequests } from './pending-requests.ts'
import type { PermissionModes } from './permission-modes.ts'
import type { SessionRestarts } from './restarts.ts'
import type { SelfReports } from './self-reports.ts'
import type { SessionReader } from './session-reader.ts'
import type { Terminals } from './terminals.ts'
import type { TranscriptReader } from './transcript-reader.ts'

/** Operations of callers on the sessions of a city, by topic. */
export interface SessionOperations {
  readonly reader: SessionReader
  readonly creator: SessionCreator
  readonly editor: SessionEditor
  readonly sender: MessageSender
  readonly control: SessionControl
  readonly drains: SessionDrains
  readonly drifted: DriftedSessions
  readonly restarts: SessionRestarts
  readonly selfReports: SelfReports
  readonly lending: Lending
  readonly interactions: Interactions
  readonly pendingRequests: PendingRequests
  readonly permissionModes: PermissionModes
  readonly transcripts: TranscriptReader
  readonly search: TranscriptSearcher
  readonly terminals: Terminals
  readonly credentials: SessionCredentials
}
