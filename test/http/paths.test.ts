import { expect, test } from 'bun:test'
import { methodsOf } from '../../src/http/paths.ts'

test('a path has the methods of all routes that lead there, by name or by parameter', () => {
  const methods = methodsOf([
    { method: 'GET', path: '/posts' },
    { method: 'POST', path: '/posts' },
    { method: 'GET', path: '/posts/{id}' },
    { method: 'DELETE', path: '/posts/{post}' },
    { method: 'PUT', path: '/posts/best' },
    { method: 'GET', path: '/posts/{id}/comments' },
    { method: 'POST', path: '/posts/best/{name}' },
  ])
  expect(methods('/posts')).toEqual(['GET', 'HEAD', 'OPTIONS', 'POST'])
  expect(methods('/posts/7')).toEqual(['DELETE', 'GET', 'HEAD', 'OPTIONS'])
  expect(methods('/posts/best')).toEqual(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PUT'])
  expect(methods('/posts/best/comments')).toEqual(['GET', 'HEAD', 'OPTIONS', 'POST'])
  expect(methods('/posts/best/x')).toEqual(['OPTIONS', 'POST'])
  for (const path of ['', '/', '/post', '/posts/', '/posts/7/', '/posts//comments', '/posts/7/x', '/posts/{}/x']) {
    expect(methods(path)).toBeUndefined()
  }
  expect(methods('/posts/{}')).toEqual(['DELETE', 'GET', 'HEAD', 'OPTIONS'])
})
