import { expect, test } from 'bun:test'
import { yamaObstacle } from '../../../src/host/confine/yama.ts'

test.each([
  [0, false, false],
  [1, false, false],
  [2, false, true],
  [2, true, false],
  [3, false, true],
  [3, true, true],
])('with ptrace_scope %d, privileged: %p, gc confines nothing: %p', (scope, isPrivileged, isObstacle) => {
  const obstacle = yamaObstacle(scope, isPrivileged)
  expect(obstacle !== undefined).toBe(isObstacle)
  if (isObstacle) expect(obstacle).toStartWith(`kernel.yama.ptrace_scope is ${scope}, so gc cannot answer`)
})
