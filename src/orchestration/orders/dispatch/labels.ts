/** Prefix of the labels of tracking beads and results of orders, before the scoped name. */
export const RUN_LABEL = 'order-run:'
export const EVENT_LABEL = 'order:'
export const SEQ_LABEL = 'seq:'
/** On every tracking bead: none is work for an agent. */
export const TRACKING_LABEL = 'order-tracking'

/** The label that a tracking bead gets for how its run ended. */
export type OutcomeLabel = 'exec' | 'exec-failed' | 'exec-env-failed' | 'wisp' | 'wisp-failed' | 'wisp-canceled'

/** As whom the processes and beads of an order appear in the event log. */
export const orderActorName = (scopedName: string): string => `order:${scopedName}`
