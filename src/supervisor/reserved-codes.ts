/** Error codes of the contract that no operation of this version answers with. */
export const RESERVED_CODES = [
  'ambiguous-reference',
  'bad-gateway',
  'conflict-concurrent-delete',
  'conflict-concurrent-modify',
  'gateway-timeout',
  'method-not-allowed',
  'order-not-found',
  'pack-credential-required',
  'pack-not-found',
  'run-not-found',
  'sling-cross-store-route',
  'sling-source-workflow-conflict',
  'webhook-rejected',
  'workflow-not-found',
] as const
