import type { SessionHost as HostClient } from '../../host/client/contract.ts'

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
>
