import { expect } from 'bun:test'

type Json = Record<string, unknown>
type Repeated = { status: number; body: unknown }

/** True if the document says that an operation takes an `Idempotency-Key`. */
export const takesKey = ({ parameters }: Json): boolean =>
  Array.isArray(parameters) && parameters.some(({ name }) => name === 'Idempotency-Key')

/**
 * Expects of a request that succeeded and was sent once more under its key that its answer is the same, or says that it
 * held a secret. What the test continues to see is the effect of once. A change that ends its own credential, or the
 * last request that somebody has left, gets no second answer.
 */
export async function expectRepeated(operation: string, first: Repeated, again: Repeated): Promise<void> {
  if (again.status === 429 || again.status === 401) return
  if (again.status === 409 && JSON.stringify(again.body).includes('was answered with a secret')) return
  expect({ operation, status: again.status, body: again.body }).toEqual({
    operation,
    status: first.status,
    body: first.body,
  })
}
