/** Why an adapter did not deliver a message, in the words of the wire. */
export const FAILURE_KINDS = ['unsupported', 'auth', 'rate_limited', 'transient', 'permanent', 'not_found'] as const
