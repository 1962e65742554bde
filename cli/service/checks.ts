import type { ServiceProcessView, Status } from '../../src/connect/services/index.ts'

/** One thing about a service that is as it should be, or not. */
export interface ServiceCheck {
  readonly check: string
  readonly ok: boolean
  readonly message: string
}

export const isHealthy = (checks: readonly ServiceCheck[]): boolean => checks.every(({ ok }) => ok)

/** Checks of a service, in the order of their dependencies. */
export function checksOf(status: Status, process: ServiceProcessView): ServiceCheck[] {
  const { local_state: state, reason = '' } = status
  const isDeclared = state !== 'config_error'
  const declaration = { check: 'declaration', ok: isDeclared, message: isDeclared ? process.declared_at : reason }
  if (!isDeclared) return [declaration]
  const ready = {
    check: 'ready',
    ok: state === 'ready',
    message: state === 'ready' ? 'it answers' : reason === '' ? state : `${state}: ${reason}`,
  }
  return [declaration, ...(status.kind === 'workflow' ? [] : [processCheck(process)]), ready, publicationCheck(status)]
}

function processCheck({ pid, failures, last_exit, starts }: ServiceProcessView): ServiceCheck {
  const check = 'process'
  if (pid !== undefined) return { check, ok: true, message: `pid ${pid}, start ${starts}` }
  const ended =
    last_exit === undefined ? 'it does not run' : `it ended ${failures} times in a row, last with ${last_exit}`
  return { check, ok: false, message: ended }
}

function publicationCheck({ publication_state: state, reason = '', url }: Status): ServiceCheck {
  const check = 'publication'
  if (state !== 'blocked') return { check, ok: true, message: url === undefined ? state : `${state} at ${url}` }
  const why =
    reason === 'direct_base_url_unavailable'
      ? 'other machines cannot reach it: start the supervisor with `gc serve --public-listen <[address:]port>`'
      : 'gc publishes services only directly: set publish_mode = "direct" and no visibility'
  return { check, ok: false, message: why }
}
