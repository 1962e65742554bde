import { expect, test } from 'bun:test'
import { hashToken } from '../../src/core/text/credentials.ts'
import { checkAccess } from '../../src/http/needs.ts'
import { ProcessTokens } from '../../src/http/process-tokens.ts'

const policy = { isStrict: () => false, owns: () => false }

test('a process may do what its token was given for, also when it is adopted, and nothing more', () => {
  const tokens = new ProcessTokens({ city: 'mill', url: () => 'http://127.0.0.1:1' })
  const service = tokens.issue('service chat', ['connect'])
  const order = tokens.issue('order nightly')
  const later = new ProcessTokens({ city: 'mill', url: () => 'http://127.0.0.1:1' })
  later.adopt(service.hash, 'service chat', ['connect'])
  const check = (from: ProcessTokens, token: string, needs: 'connect' | 'configure') => {
    const caller = from.caller(hashToken(token))
    if (!caller) throw new Error('the token is unknown')
    const request = { caller, params: { cityName: 'mill' }, query: {}, body: {} }
    checkAccess({ needs }, request, 'Register an adapter', policy)
  }
  check(tokens, service.env.GC_TOKEN, 'connect')
  check(later, service.env.GC_TOKEN, 'connect')
  expect(() => check(tokens, service.env.GC_TOKEN, 'configure')).toThrow('forbidden: service chat may not do')
  expect(() => check(tokens, order.env.GC_TOKEN, 'connect')).toThrow('forbidden: order nightly may not do')
})
