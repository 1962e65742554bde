/** A run that is asked for lacks what its order requires. */
export const WEBHOOK_REJECTED = 'webhook-rejected'
