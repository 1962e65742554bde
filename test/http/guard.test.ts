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
const BAD_TOKEN =
  '401 unauthorized invalid or expired token; a session gets a new one when it restarts, a person from the operator'
const post: Partial<GuardedRequest> = { method: 'POST', mark: '1' }
const socket: Partial<GuardedRequest> = { upgrade: 'WebSocket' }

describe('the guard', () => {
  const cases: [title: string, Partial<GuardedRequest>, GuardSettings, unknown][] = [
    ['allows a human on loopback to read', {}, OPEN, human],
    ['treats 127.0.0.1 as loopback', { host: '127.0.0.1:1' }, OPEN, human],
    ['treats every 127.x address as loopback', { host: '127.9.9.9' }, OPEN, human],
    ['treats ::1 as loopback', { host: '[::1]:8372' }, OPEN, human],
    ['matches host names in any case', { host: 'LOCALHOST' }, OPEN, human],
    ['rejects another host name', { host: 'evil.example' }, OPEN, HOST],
    ['rejects a host name that only begins like loopback', { host: '127.0.0.1.evil.example' }, OPEN, HOST],
    ['rejects a host name that only ends like loopback', { host: 'not-localhost' }, OPEN, HOST],
    ['rejects a request without a host', { host: null }, OPEN, HOST],
    ['allows a listed host on any port', { host: 'lamp.LAN:99' }, LISTED, human],
    ['checks the host of preflights', { method: 'OPTIONS', host: 'evil.example' }, OPEN, HOST],
    ['checks nothing else of preflights', { method: 'OPTIONS' }, { ...OPEN, requireToken: true }, human],
    ['allows reads from other origins, whose responses browsers hide', { origin: 'https://evil.example' }, OPEN, human],
    ['rejects mutations from other origins', { ...post, origin: 'https://evil.example' }, OPEN, ORIGIN],
    ['rejects mutations from a null origin', { ...post, origin: 'null' }, OPEN, ORIGIN],
    [
      'rejects mutations from an origin that only begins like loopback',
      { ...post, origin: 'http://localhost.evil.example' },
      OPEN,
      ORIGIN,
    ],
    ['allows mutations from loopback origins', { ...post, origin: 'http://localhost:5173' }, OPEN, human],
    [
      'allows mutations from its own origin',
      { ...post, host: 'lamp.lan:80', origin: 'http://lamp.lan:80' },
      LISTED,
      human,
    ],
    ['allows mutations from listed origins', { ...post, origin: 'https://board.example' }, LISTED, human],
    ['rejects sockets from other origins', { ...socket, origin: 'https://evil.example' }, OPEN, ORIGIN],
    ['allows sockets without an origin', socket, OPEN, human],
    ['requires the X-GC-Request header on mutations', { method: 'DELETE' }, OPEN, CSRF],
    ['treats an empty X-GC-Request header as missing', { method: 'PATCH', mark: '' }, OPEN, CSRF],
    ['allows mutations with the X-GC-Request header', post, OPEN, human],
    ['rejects mutations in read-only mode', post, { ...OPEN, readOnly: true }, READ_ONLY],
    ['checks for the X-GC-Request header before read-only mode', { method: 'POST' }, { ...OPEN, readOnly: true }, CSRF],
    ['allows reads in read-only mode', {}, { ...OPEN, readOnly: true }, human],
    ['identifies a session by its token', { authorization: 'Bearer gcs_live' }, KNOWN, SESSION],
    ['matches the authorization scheme in any case', { authorization: 'bearer gcs_live' }, KNOWN, SESSION],
    [
      'rejects an unknown token instead of treating it as anonymous',
      { authorization: 'Bearer gcs_dead' },
      KNOWN,
      BAD_TOKEN,
    ],
    [
      'rejects other authorization schemes',
      { authorization: 'Basic abc' },
      KNOWN,
      '401 unauthorized the Authorization header is not of the form Bearer <token>',
    ],
    [
      'rejects an empty token',
      { authorization: 'Bearer ' },
      KNOWN,
      '401 unauthorized the Authorization header is not of the form Bearer <token>',
    ],
    [
      'rejects a request without a token where one is required',
      {},
      { ...KNOWN, requireToken: true },
      '401 unauthorized this server requires a token',
    ],
    [
      'accepts a valid token where one is required',
      { authorization: 'Bearer gcs_live' },
      { ...KNOWN, requireToken: true },
      SESSION,
    ],
    [
      'leaves a socket without a token to be authenticated by its ticket',
      socket,
      { ...KNOWN, requireToken: true },
      unauthenticated,
    ],
    [
      'checks the token before the X-GC-Request header',
      { method: 'POST', authorization: 'Bearer no' },
      KNOWN,
      BAD_TOKEN,
    ],
  ]
  test.each(cases)('%s', (_, some, settings, expected) => {
    expect(verdict(some, settings)).toBe(expected)
  })
})
