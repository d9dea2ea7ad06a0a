/* Reads a chosen or dropped file: text for the editor, or a zip of several files for the ladder. */
import { whole } from './format'
import type { Language } from './types'

/** The arena's limits; checked here too, because a browser cannot show the answer to a form that is far too large. */
export const SOURCE_BYTES = 100_000
export const ZIP_BYTES = 1_200_000

const ZIP_MAGIC = [0x50, 0x4b, 0x03, 0x04]

export type Upload = { kind: 'text'; text: string } | { kind: 'zip' }

/** Throws an Error whose message can be shown to the user. */
export async function readUpload(file: File): Promise<Upload> {
  const bytes = await read(file)
  if (ZIP_MAGIC.every((byte, i) => bytes[i] === byte)) return { kind: 'zip' }
  if (/\.zip$/i.test(file.name)) throw new Error(`${file.name} is empty or not a zip. Zip your bot’s folder again.`)
  if (bytes.length > SOURCE_BYTES) throw new Error(tooLarge(file, 'a source file', SOURCE_BYTES))
  try {
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    throw new Error(`${file.name} is not UTF-8 text. Choose a source file, or a zip of several files.`)
  }
}

/** The language that a source file's name says. Throws as `readUpload` does. */
export function languageOf(name: string, languages: Language[]): string {
  const ending = /\.\w+$/.exec(name)?.[0].toLowerCase() ?? ''
  const found = languages.find(({ endings }) => endings.includes(ending))
  if (found) return found.id
  throw new Error(`Expected a source file ending in ${languages.map((one) => one.ending).join(', ')}; got ${name}.`)
}

async function read(file: File): Promise<Uint8Array> {
  if (file.size > ZIP_BYTES) throw new Error(tooLarge(file, 'a zip', ZIP_BYTES))
  try {
    return new Uint8Array(await file.arrayBuffer())
  } catch {
    // Browsers represent a dropped folder as a file that cannot be read.
    throw new Error(`${file.name} cannot be read. If it is a folder, zip it first.`)
  }
}

const tooLarge = (file: File, what: string, limit: number): string =>
  `${file.name} is ${whole(file.size)} bytes. The limit for ${what} is ${whole(limit)}; remove files the bot does not need.`
