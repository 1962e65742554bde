import { writeFileSync } from 'node:fs'

/** Says in a file which session it runs in. */
export const hooked = async () => {
  const { GC_SESSION_ID, GC_CITY } = process.env
  if (GC_SESSION_ID) writeFileSync(`${GC_CITY}/hooked`, `${GC_SESSION_ID}\n`)
  return {}
}
