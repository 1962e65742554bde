import type { AttentionEntry, AttentionSource } from '../../core/attention.ts'
import { toTimestamp } from '../../core/clock.ts'
import { FAILURES_TO_TELL } from './back-off.ts'
import type { RunningService } from './running-service.ts'
import type { Services } from './services.ts'
import { toDo } from './view.ts'

/** Services that are declared wrongly, end again and again, or run without getting ready. */
export class ServiceAttention implements AttentionSource {
  readonly name = 'services'

  constructor(private readonly services: Pick<Services, 'running' | 'onChange'>) {}

  items(): AttentionEntry[] {
    return this.services.running().flatMap((each) => {
      const asks = problemOf(each)
      if (asks === undefined) return []
      const { service, state } = each
      const { name, block } = service
      return { id: `service:${name}`, kind: 'service', asks, to_do: toDo(name, state.local, block) }
    })
  }

  onChange(listener: () => void): () => void {
    return this.services.onChange(listener)
  }
}

function problemOf({ service: { name }, process, state }: RunningService): string | undefined {
  if (state.local === 'config_error') return `Service ${name} is declared wrongly: ${state.reason}.`
  if (state.local === 'stopped') return `Service ${name} is not started: ${state.reason}.`
  const row = process?.row
  const { failures = 0, lastExit, dueAt } = row ?? {}
  const ended = `Service ${name} ended ${failures} times in a row, last with ${lastExit}.`
  if (state.local === 'restart_failed') return `${ended} It does not restart automatically.`
  if (state.local !== 'degraded') return undefined
  if (row?.state === 'running') return `Service ${name} runs and is not ready: ${state.reason}.`
  if (failures < FAILURES_TO_TELL) return undefined
  return dueAt == null ? ended : `${ended} It is started again at ${toTimestamp(dueAt)}.`
}
