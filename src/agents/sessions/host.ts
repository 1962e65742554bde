import type { SessionHost as HostClient } from '../../host/client/session-host.ts'

/** What sessions need of the session host. */
export type SessionHost = Pick<
  HostClient,
  | 'start'
  | 'list'
  | 'end'
  | 'write'
  | 'resize'
  | 'signal'
  | 'screen'
  | 'snapshot'
  | 'follow'
  | 'onExit'
  | 'onOutput'
  | 'onLost'
  | 'prompt'
  | 'cancel'
  | 'mode'
  | 'answer'
  | 'onRecords'
  | 'question'
  | 'reportsQuestions'
  | 'onQuestion'
  | 'choose'
  | 'listDaemons'
  | 'status'
>
