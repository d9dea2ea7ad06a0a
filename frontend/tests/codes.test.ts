import { expect, test } from 'vitest'
import { withCodes } from '../src/lib/codes'
import type { ClassCode } from '../src/lib/types'

const slip = (member_id: number, code: string): ClassCode => ({ member_id, code }) as ClassCode

test('codes that nobody has printed yet stay, unless their student has a new one', () => {
  const shown = withCodes([slip(1, 'a'), slip(2, 'b')], [slip(3, 'c'), slip(1, 'd')])
  expect(shown.map(({ member_id, code }) => `${member_id}${code}`)).toEqual(['1d', '2b', '3c'])
  expect(withCodes(shown, [])).toEqual(shown)
})
