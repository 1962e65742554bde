import type { Actor } from '../../core/actor.ts'

/** Who makes the changes that follow from the deliveries of a webhook. */
export const actorOfWebhook = (name: string): Actor => ({ kind: 'process', name: `webhook:${name}` })
