/** Makes a value when it is first asked for, once. */
export function memoize<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
