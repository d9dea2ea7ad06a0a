import { expect, test } from 'vitest'
import { noticeOf, packageOf } from '../notice.ts'

const PACKAGE = { name: 'b', version: '1.2.3', identifier: 'MIT', text: 'Copyright B\n' }

test('a notice names each package with its version, licence and text, sorted by name', () => {
  const text = noticeOf([PACKAGE, { ...PACKAGE, name: 'a', identifier: 'OFL-1.1', text: 'Copyright A' }])
  expect(text.match(/^(a|b|Copyright).*$/gm)).toEqual(['a 1.2.3 (OFL-1.1)', 'Copyright A', 'b 1.2.3 (MIT)', 'Copyright B'])
})

test('a bundled package without a licence or without its text fails the build', () => {
  const bad = [PACKAGE, { ...PACKAGE, name: 'c', text: ' \n' }, { ...PACKAGE, name: 'd', identifier: undefined }]
  expect(() => noticeOf(bad)).toThrow('Bundled without a licence text: c, d')
  expect(() => noticeOf([{ ...PACKAGE, text: undefined }])).toThrow('b')
})

test('a font has the licence of its package', () => {
  const folder = 'node_modules/@fontsource-variable/atkinson-hyperlegible-mono'
  const font = packageOf(`${folder}/files/atkinson-hyperlegible-mono-latin-wght-normal.woff2`)
  expect(font).toMatchObject({ name: '@fontsource-variable/atkinson-hyperlegible-mono', identifier: 'OFL-1.1' })
  expect(font.text).toContain('SIL OPEN FONT LICENSE')
})
