type Step = () => void | Promise<void>

/** A part that runs while its owner is open: it is started, stopped, or both. */
export type Service = { start: Step; stop?: Step } | { start?: Step; stop: Step }

/**
 * Starts services in order. `resources` stops them in the reverse order: all of them when it is disposed of, and when one
 * cannot start, that one and those before it.
 */
export async function startServices(services: readonly Service[], resources: AsyncDisposableStack): Promise<void> {
  for (const service of services) {
    resources.defer(() => service.stop?.())
    const starting = service.start?.()
    // What starts without waiting lets nothing run in between.
    if (starting) await starting
  }
}
