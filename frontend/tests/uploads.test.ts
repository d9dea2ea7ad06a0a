import { describe, expect, test } from 'vitest'
import { languageOf, readUpload, SOURCE_BYTES, ZIP_BYTES } from '../src/lib/uploads'
import type { Language } from '../src/lib/types'

const ZIP = new Uint8Array([0x50, 0x4b, 3, 4, 20, 0])
const file = (name: string, content: BlobPart): File => new File([content], name)

describe('a file for the editor', () => {
  test('is its text, without the mark of byte order', async () => {
    expect(await readUpload(file('bot.py', 'print("é")\n'))).toEqual({ kind: 'text', text: 'print("é")\n' })
    expect(await readUpload(file('bot.py', '\ufeffx'))).toEqual({ kind: 'text', text: 'x' })
  })

  test('may begin with the letters of a zip', async () => {
    expect(await readUpload(file('bot.py', 'PK = 3'))).toEqual({ kind: 'text', text: 'PK = 3' })
  })

  test('is recognised by its content, whatever its name', async () => {
    expect(await readUpload(file('bot.zip', ZIP))).toEqual({ kind: 'zip' })
    expect(await readUpload(file('download', ZIP))).toEqual({ kind: 'zip' })
  })
})

describe('what is refused, with words', () => {
  test('a zip that is none', async () => {
    await expect(readUpload(file('bot.zip', 'text'))).rejects.toThrow('bot.zip is empty or not a zip')
    await expect(readUpload(file('BOT.ZIP', new Uint8Array([0x50, 0x4b, 5, 6])))).rejects.toThrow('not a zip')
  })

  test('what is not text', async () => {
    await expect(readUpload(file('a.out', new Uint8Array([0x7f, 0x45, 0xff])))).rejects.toThrow('not UTF-8 text')
  })

  test('what is too large', async () => {
    await expect(readUpload(file('bot.py', 'x'.repeat(SOURCE_BYTES + 1)))).rejects.toThrow(
      'bot.py is 100,001 bytes. The limit for a source file is 100,000',
    )
    await expect(readUpload(file('bot.zip', new Uint8Array(ZIP_BYTES + 1)))).rejects.toThrow('The limit for a zip is 1,200,000')
    expect(await readUpload(file('bot.py', 'x'.repeat(SOURCE_BYTES)))).toMatchObject({ kind: 'text' })
  })

  test('a folder', async () => {
    const folder = file('bot', '')
    folder.arrayBuffer = () => Promise.reject(new DOMException('', 'NotReadableError'))
    await expect(readUpload(folder)).rejects.toThrow('If it is a folder, zip it first')
  })
})

test('a name says the language by any of its endings, in upper case, too', () => {
  const languages = [
    { id: 'python', ending: '.py', endings: ['.py'] },
    { id: 'c', ending: '.c', endings: ['.c'] },
    { id: 'cpp', ending: '.cpp', endings: ['.cpp', '.cc', '.cxx'] },
  ] as Language[]
  const found = ['bot.py', 'bot.cc', 'my.bot.cxx', 'BOT.CPP', 'Bot.C'].map((name) => languageOf(name, languages))
  expect(found).toEqual(['python', 'cpp', 'cpp', 'cpp', 'c'])
  for (const name of ['bot.txt', 'bot', 'py', 'bot.xpy']) {
    expect(() => languageOf(name, languages)).toThrow(`Expected a source file ending in .py, .c, .cpp; got ${name}.`)
  }
})
