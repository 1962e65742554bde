/**
 * A value that everybody who asks in one turn of the event loop shares: what many clients ask for together is made
 * once, and is never older than the turn.
 */
export function oncePerTick<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const values = new Map<Key, Value>()
  return (key) => {
    const shared = values.get(key)
    if (shared !== undefined) return shared
    const value = make(key)
    if (values.size === 0) setImmediate(() => values.clear())
    values.set(key, value)
    return value
  }
}
