import { toTimestamp } from '../../core/clock.ts'
import type { Publication } from './publication.ts'
import type { RunningService } from './running-service.ts'
import type { ServiceProcessView, Status } from './schema.ts'
import { overallState } from './state.ts'

/** A service as the contract shows it. */
export function toStatus({ service, state }: RunningService, publication: Publication): Status {
  const { name, kind, contract, publishMode, hostname, stateRoot, allowWebsockets } = service
  const reason = state.reason ?? publication.reason
  return {
    service_name: name,
    kind,
    ...(kind === 'workflow' && contract !== undefined && { workflow_contract: contract }),
    mount_path: `/svc/${name}`,
    publish_mode: publishMode,
    visibility: publication.visibility,
    hostname,
    state_root: stateRoot,
    ...(publication.url !== undefined && { url: publication.url }),
    state: overallState(state.local),
    local_state: state.local,
    publication_state: publication.state,
    ...(reason !== undefined && { reason }),
    ...(allowWebsockets && { allow_websockets: true }),
    updated_at: toTimestamp(state.since),
  }
}

/** The process behind a service. */
export function toProcessView({ service, process, state }: RunningService): ServiceProcessView {
  const { name, command, folder, block } = service
  const row = process?.row
  const lastExit = state.startError ?? row?.lastExit
  return {
    ...{ service: name, command: [...command], folder, declared_at: `${block.file}:${block.line}` },
    ...(process && { socket: process.paths.socket, log: process.paths.log }),
    ...(row?.pid != null && { pid: row.pid }),
    ...(row?.startedAt != null && { started_at: toTimestamp(row.startedAt) }),
    ...{ starts: row?.runs ?? 0, failures: row?.failures ?? 0 },
    ...(lastExit != null && { last_exit: lastExit }),
    ...(row?.endedAt != null && { last_exit_at: toTimestamp(row.endedAt) }),
    ...(row?.dueAt != null && { next_start_at: toTimestamp(row.dueAt) }),
    ...(state.local !== 'ready' && { to_do: toDo(name, state.local, block) }),
  }
}

/** Fix for a service that is not ready. */
export function toDo(name: string, local: string, { file, line }: { file: string; line: number }): string {
  if (local === 'config_error') return `fix its declaration at ${file}:${line}`
  if (local === 'stopped')
    return 'look at it with gc service show, then gc order approve --all, or fix the files of the city'
  if (local === 'starting' || local === 'stopping') return `wait a little, then gc service show ${name}`
  return `gc service logs ${name}; once its cause is fixed, gc service restart ${name}`
}
