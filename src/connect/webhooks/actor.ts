import type { Actor } from '../../core/actor.ts'

/** Actor of the changes that a webhook's deliveries cause. */
export const actorOfWebhook = (name: string): Actor => ({ kind: 'process', name: `webhook:${name}` })
