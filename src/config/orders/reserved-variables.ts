/** The variables of an order's process that gc sets itself. */
const RESERVED = new Set(
  `ORDER_DIR PACK_DIR GT_ROOT GC_HOME GC_URL GC_BIN GC_TOKEN GC_CITY GC_CITY_PATH GC_CITY_NAME GC_CITY_RUNTIME_DIR
   GC_PACK_DIR GC_PACK_NAME GC_PACK_STATE_DIR GC_STORE_ROOT GC_STORE_SCOPE GC_STORE_PATH GC_BEADS_PREFIX GC_RIG
   GC_RIG_ROOT GC_SESSION_ID GC_AGENT GC_ALIAS GC_TEMPLATE GC_PROCESS_ID`.split(/\s+/),
)
const RESERVED_PREFIXES = /^(BEADS_|BD_|GC_WEBHOOK_ARG_)/

/** Whether an order may not set a variable. */
export const isReservedVariable = (name: string): boolean => RESERVED.has(name) || RESERVED_PREFIXES.test(name)
