import { describe, expect, test } from 'bun:test'
import { HostRules, normalHost, parseHostRule } from '../../src/core/host-rules.ts'
import { isForbiddenAddress, isPublicAddress } from '../../src/core/public-addresses.ts'

describe('a rule about hosts', () => {
  test.each<[string, string, number, boolean]>([
    ['example.com', 'example.com', 443, true],
    ['example.com', 'example.com', 80, true],
    ['example.com', 'example.com', 22, false],
    ['Example.COM.', 'example.com', 443, true],
    ['example.com', 'www.example.com', 443, false],
    ['example.com', 'notexample.com', 443, false],
    ['*.example.com', 'a.b.example.com', 443, true],
    ['*.example.com', 'example.com', 443, false],
    ['*.example.com', 'notexample.com', 443, false],
    ['example.com:8443', 'example.com', 8443, true],
    ['example.com:8443', 'example.com', 443, false],
    ['[2001:db8::1]:8080', '2001:db8::1', 8080, true],
    ['10.0.0.5:80', '10.0.0.5', 80, true],
  ])('%s: %s at port %d is allowed: %p', (rule, host, port, allowed) => {
    expect(new HostRules([rule]).allows(host, port)).toBe(allowed)
  })

  test.each([
    '',
    '*',
    '*.com',
    'a b',
    'a..b',
    'http://a.b',
    'a.b/c',
    'a.b:0',
    'a.b:65536',
    '*.10.0.0.1',
    'a*.b',
    '127.1',
  ])('%p is none, and allows nothing', (text) => {
    expect(parseHostRule(text)).toBeUndefined()
  })

  test('of every host allows all of them, and names none', () => {
    const rules = new HostRules('any')
    expect(rules.allows('example.com', 22)).toBe(true)
    expect(rules.names('10.0.0.1', 443)).toBe(false)
  })
})

test.each<[string, string | undefined]>([
  ['EXAMPLE.com.', 'example.com'],
  ['[::ffff:127.0.0.1]', '127.0.0.1'],
  ['[0:0:0:0:0:0:0:1]', '::1'],
  ['2130706433', undefined],
  ['0x7f000001', undefined],
  ['0177.0.0.1', undefined],
  ['127.1', undefined],
  ['a\u0000.com', undefined],
])('a host has one form: %p is %p', (text, host) => {
  expect(normalHost(text)).toBe(host)
})

test.each([
  '169.254.169.254',
  '::ffff:a9fe:a9fe',
  'fd00:ec2::254',
  'fe80::1',
  '0.0.0.0',
  '::',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  'x',
])('no one is let to %s', (address) => {
  expect(isForbiddenAddress(address)).toBe(true)
  expect(isPublicAddress(address)).toBe(false)
})
