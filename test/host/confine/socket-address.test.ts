import { expect, test } from 'bun:test'
import {
  closeness,
  isLoopback,
  isOfMachine,
  nameLoopback,
  parseListed,
  parseSocketAddress,
  showAddress,
} from '../../../src/host/confine/broker/socket-address.ts'

const inet = (port: number, ...bytes: number[]) =>
  Buffer.from([2, 0, port >> 8, port & 255, ...bytes, ...Array(8).fill(0)])
const inet6 = (port: number, hex: string) =>
  Buffer.concat([Buffer.from([10, 0, port >> 8, port & 255, 0, 0, 0, 0]), Buffer.from(hex, 'hex'), Buffer.alloc(4)])
const V6_LOOPBACK = '00000000000000000000000000000001'

test('an address is read as the kernel reads it, one of IPv4 within IPv6 as IPv4', () => {
  expect(parseSocketAddress(inet(80, 127, 0, 0, 1))).toEqual({ kind: 'tcp', address: '7f000001', port: 80 })
  const mapped = inet6(443, '00000000000000000000ffff7f000001')
  expect(parseSocketAddress(mapped)).toEqual({ kind: 'tcp', address: '7f000001', port: 443 })
  expect(parseSocketAddress(inet6(8080, V6_LOOPBACK))).toEqual({ kind: 'tcp', address: V6_LOOPBACK, port: 8080 })
})

test('a socket of programs is a path or an abstract name', () => {
  expect(parseSocketAddress(Buffer.from('\x01\0/tmp/s\0rest'))).toEqual({ kind: 'path', path: '/tmp/s' })
  expect(parseSocketAddress(Buffer.from('\x01\0\0bus'))).toEqual({ kind: 'abstract', name: 'bus' })
  expect(parseSocketAddress(Buffer.from('\x01\0'))).toEqual({ kind: 'abstract', name: '' })
})

test('rejects addresses that are too short or of another family', () => {
  expect(parseSocketAddress(Buffer.from([2, 0, 0, 80]))).toEqual({ kind: 'other', family: 2 })
  expect(parseSocketAddress(Buffer.from([]))).toEqual({ kind: 'other', family: -1 })
  expect(parseSocketAddress(Buffer.from([0, 0]))).toEqual({ kind: 'nothing' })
})

test('addresses of /proc/net/tcp and of calls are compared in one form', () => {
  expect(parseListed('0100007F')).toBe('7f000001')
  expect(parseListed('0000000000000000FFFF00000100007F')).toBe('7f000001')
  expect(parseListed('00000000000000000000000001000000')).toBe(V6_LOOPBACK)
})

test('loopback and the link are distinguished from the rest', () => {
  expect(['7f000001', '7fffffff', '00000000', V6_LOOPBACK].every(isLoopback)).toBe(true)
  expect(['08080808', 'fe800000000000000000000000000001'].some(isLoopback)).toBe(false)
  const metadata = ['646464c8', 'c00000c0', 'a83f8110']
  const link = [...metadata, 'a9fea9fe', 'fe800000000000000000000000000001', 'fd000ec2000000000000000000000254']
  expect(link.every(isOfMachine)).toBe(true)
  expect(['08080808', '20010db8000000000000000000000001'].some(isOfMachine)).toBe(false)
})

test('an address is shown as people write it', () => {
  expect(showAddress('a9fea9fe', 80)).toBe('169.254.169.254:80')
  expect(showAddress(V6_LOOPBACK, 80)).toBe('[0:0:0:0:0:0:0:1]:80')
})

test('the closest socket hears a connection: at its own address, then at all of its version, then of IPv6', () => {
  const [any4, any6] = ['00000000', '0'.repeat(32)]
  expect(closeness('7f000001', '7f000001')).toBe(2)
  expect(closeness('7f000001', '7f000002')).toBeUndefined()
  expect(closeness(any4, '7f000002')).toBe(1)
  expect(closeness(any4, V6_LOOPBACK)).toBeUndefined()
  expect(closeness(any6, V6_LOOPBACK)).toBe(1)
  expect(closeness(any6, '7f000001')).toBe(0)
})

test('an address that stands for all becomes loopback, of the version that it was', () => {
  const named = (bytes: Buffer) => {
    nameLoopback(bytes)
    return bytes
  }
  expect(named(inet(80, 0, 0, 0, 0))).toEqual(inet(80, 127, 0, 0, 1))
  expect(named(inet6(80, '0'.repeat(32)))).toEqual(inet6(80, V6_LOOPBACK))
  const mapped = '00000000000000000000ffff'
  expect(named(inet6(80, `${mapped}00000000`))).toEqual(inet6(80, `${mapped}7f000001`))
  expect(named(inet(80, 127, 0, 0, 2))).toEqual(inet(80, 127, 0, 0, 2))
})
