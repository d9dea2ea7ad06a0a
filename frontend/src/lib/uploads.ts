/* What a file that was chosen or dropped is: text for the editor, or a zip of several files for the ladder. */
import { whole } from './format'

/** The arena's limits; checked here too, because a browser cannot show the answer to a form that is far too large. */
export const SOURCE_BYTES = 100_000
export const ZIP_BYTES = 1_200_000

const ZIP_MAGIC = [0x50, 0x4b, 0x03, 0x04]

export type Upload = { kind: 'text'; text: string } | { kind: 'zip' }

/** Throws an Error with words for the user. */
export async function readUpload(file: File): Promise<Upload> {
  const bytes = await read(file)
  if (ZIP_MAGIC.every((byte, i) => bytes[i] === byte)) return { kind: 'zip' }
  if (/\.zip$/i.test(file.name)) throw new Error(`${file.name} is empty or no zip. Zip the folder with your bot’s files again.`)
  if (bytes.length > SOURCE_BYTES) throw new Error(tooLarge(file, 'A source file', SOURCE_BYTES))
  try {
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    throw new Error(`${file.name} is not text in UTF-8. Choose a source file, or a zip of several.`)
  }
}

async function read(file: File): Promise<Uint8Array> {
  if (file.size > ZIP_BYTES) throw new Error(tooLarge(file, 'A zip', ZIP_BYTES))
  try {
    return new Uint8Array(await file.arrayBuffer())
  } catch {
    // Browsers hand out a dropped folder as a file that cannot be read.
    throw new Error(`${file.name} cannot be read. If it is a folder, zip it first.`)
  }
}

const tooLarge = (file: File, what: string, limit: number): string =>
  `${file.name} has ${whole(file.size)} bytes. ${what} may have ${whole(limit)}; leave out what the bot does not read.`
