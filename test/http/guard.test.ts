import { describe, expect, test } from 'bun:test'
import { AppError } from '../../src/core/errors.ts'
import { checkRequest, type GuardedRequest, type GuardSettings, human, unauthenticated } from '../../src/http/guard.ts'
import { OPEN, SESSION } from './serve.ts'

const KNOWN: GuardSettings = { ...OPEN, resolve: (token) => (token === 'gcs_live' ? SESSION : undefined) }
const LISTED: GuardSettings = { ...OPEN, hosts: ['Lamp.lan'], origins: ['https://board.example'] }

const facts = (some: Partial<GuardedRequest>): GuardedRequest => ({
  method: 'GET',
  host: 'localhost:8372',
  origin: null,
  authorization: null,
  mark: null,
  upgrade: null,
  ...some,
})

const verdict = (some: Partial<GuardedRequest>, settings: GuardSettings): unknown => {
  try {
    return checkRequest(facts(some), settings)
  } catch (error) {
    if (error instanceof AppError) return `${error.status} ${error.code} ${error.message.split(':', 1)[0]}`
    throw error
  }
}

const HOST = '421 host-not-allowed host_not_allowed'
const ORIGIN = '403 forbidden origin_not_allowed'
const CSRF = '403 forbidden csrf'
const READ_ONLY = '403 forbidden read_only'
const BAD_TOKEN = '401 unauthorized the token is unknown or has ended; a session gets a new one when it starts again'
const post: Partial<GuardedRequest> = { method: 'POST', mark: '1' }
const socket: Partial<GuardedRequest> = { upgrade: 'WebSocket' }

describe('the guard', () => {
  const cases: [title: string, Partial<GuardedRequest>, GuardSettings, unknown][] = [
    ['lets a human on loopback read', {}, OPEN, human],
    ['takes 127.0.0.1 for loopback', { host: '127.0.0.1:1' }, OPEN, human],
    ['takes any 127 address for loopback', { host: '127.9.9.9' }, OPEN, human],
    ['takes ::1 for loopback', { host: '[::1]:8372' }, OPEN, human],
    ['takes host names in any case', { host: 'LOCALHOST' }, OPEN, human],
    ['turns away another name', { host: 'evil.example' }, OPEN, HOST],
    ['turns away a name that only begins like loopback', { host: '127.0.0.1.evil.example' }, OPEN, HOST],
    ['turns away a name that only ends like loopback', { host: 'not-localhost' }, OPEN, HOST],
    ['turns away a request without a host', { host: null }, OPEN, HOST],
    ['lets a listed host through, whatever its port', { host: 'lamp.LAN:99' }, LISTED, human],
    ['checks the host of preflights', { method: 'OPTIONS', host: 'evil.example' }, OPEN, HOST],
    ['asks nothing else of preflights', { method: 'OPTIONS' }, { ...OPEN, requireToken: true }, human],
    [
      'lets pages of other origins ask for reads, which browsers then hide',
      { origin: 'https://evil.example' },
      OPEN,
      human,
    ],
    ['turns away mutations from other origins', { ...post, origin: 'https://evil.example' }, OPEN, ORIGIN],
    ['turns away mutations from a nameless origin', { ...post, origin: 'null' }, OPEN, ORIGIN],
    [
      'turns away an origin that only begins like loopback',
      { ...post, origin: 'http://localhost.evil.example' },
      OPEN,
      ORIGIN,
    ],
    ['lets pages on loopback change things', { ...post, origin: 'http://localhost:5173' }, OPEN, human],
    [
      'lets pages of its own address change things',
      { ...post, host: 'lamp.lan:80', origin: 'http://lamp.lan:80' },
      LISTED,
      human,
    ],
    ['lets listed origins change things', { ...post, origin: 'https://board.example' }, LISTED, human],
    ['turns away sockets from other origins', { ...socket, origin: 'https://evil.example' }, OPEN, ORIGIN],
    ['lets programs open sockets', socket, OPEN, human],
    ['wants the mark on mutations', { method: 'DELETE' }, OPEN, CSRF],
    ['takes an empty mark for none', { method: 'PATCH', mark: '' }, OPEN, CSRF],
    ['lets marked mutations through', post, OPEN, human],
    ['turns mutations down where it is read-only', post, { ...OPEN, readOnly: true }, READ_ONLY],
    ['asks for the mark before it says read-only', { method: 'POST' }, { ...OPEN, readOnly: true }, CSRF],
    ['lets reads through where it is read-only', {}, { ...OPEN, readOnly: true }, human],
    ['knows a session by its token', { authorization: 'Bearer gcs_live' }, KNOWN, SESSION],
    ['takes the scheme in any case', { authorization: 'bearer gcs_live' }, KNOWN, SESSION],
    ['never takes an unknown token for nobody', { authorization: 'Bearer gcs_dead' }, KNOWN, BAD_TOKEN],
    [
      'turns away other schemes',
      { authorization: 'Basic abc' },
      KNOWN,
      '401 unauthorized the Authorization header is not of the form Bearer <token>',
    ],
    [
      'turns away an empty token',
      { authorization: 'Bearer ' },
      KNOWN,
      '401 unauthorized the Authorization header is not of the form Bearer <token>',
    ],
    [
      'asks everyone for a token where one is required',
      {},
      { ...KNOWN, requireToken: true },
      '401 unauthorized this server requires a token',
    ],
    [
      'lets a token in where one is required',
      { authorization: 'Bearer gcs_live' },
      { ...KNOWN, requireToken: true },
      SESSION,
    ],
    ['leaves a socket without a token to its ticket', socket, { ...KNOWN, requireToken: true }, unauthenticated],
    ['asks who it is before it asks for the mark', { method: 'POST', authorization: 'Bearer no' }, KNOWN, BAD_TOKEN],
  ]
  test.each(cases)('%s', (_, some, settings, expected) => {
    expect(verdict(some, settings)).toBe(expected)
  })
})
