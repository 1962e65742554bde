import type { Config } from '../../config/compose/index.ts'
import type { Clock } from '../../core/clock.ts'
import type { EventLog } from '../../core/events/index.ts'
import type { Store } from '../../core/store/index.ts'
import type { TokenMirror } from '../../http/tokens.ts'
import type { BeadRepository } from '../beads/index.ts'
import { SessionEventRecorder } from './event-recorder.ts'
import { MessageQueue } from './message-queue.ts'
import { SessionRepository } from './repository.ts'
import { SessionResolver } from './resolver.ts'
import { SessionTokens } from './tokens.ts'
import { TurnGate } from './turn-gate.ts'
import { SessionWaker } from './waker.ts'
import { Workload } from './workload.ts'

interface SessionRecordsOptions {
  store: Store
  log: EventLog
  clock: Clock
  config: Pick<Config, 'current'>
  beadRepository: BeadRepository
  tokenMirror: TokenMirror
}

/** Opens what is stored of a city's sessions; what runs their programs stands above it. */
export function openSessionRecords({ store, log, clock, config, beadRepository, tokenMirror }: SessionRecordsOptions) {
  const repository = new SessionRepository(store, beadRepository, clock)
  return {
    repository,
    resolver: new SessionResolver(repository, config),
    recorder: new SessionEventRecorder(log, clock),
    tokens: new SessionTokens(store, clock, tokenMirror),
    workload: new Workload(store, clock),
    queue: new MessageQueue(store, clock),
    waker: new SessionWaker(repository, clock),
    turns: new TurnGate(),
  }
}

export type SessionRecords = ReturnType<typeof openSessionRecords>
