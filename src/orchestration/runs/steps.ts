/** Types of records beside the steps of a run. */
export const NO_STEPS: readonly string[] = ['spec', 'gate', 'convoy', 'message', 'session']
