import { expect, test } from 'vitest'
import { tokenIn } from '../src/lib/local-token'

test('the token is what follows #local=', () => {
  expect(tokenIn('#local=abcdefghij-KLMNOPQRST_0123456789')).toBe('abcdefghij-KLMNOPQRST_0123456789')
})

test.each(['', '#', '#local=', '#local=short', '#rules', '#local=abcdefghijklmnopqrst<b>', 'local=abcdefghijklmnopqrstuvwxyz'])(
  '%j has no token',
  (hash) => {
    expect(tokenIn(hash)).toBeNull()
  },
)
