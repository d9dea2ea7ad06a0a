/* Writes dist/NOTICE.txt: every bundled package and font with its version, its licence and the licence's text. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Plugin } from 'vite'

/** Vite lists the packages here of which JavaScript is bundled (`build.license`). */
const PACKAGES_FILE = '.vite/licences.json'

export interface Bundled {
  name: string
  version: string
  /** SPDX. */
  identifier?: string
  text?: string
}

const INTRO = `Hexarena's pages contain the following packages and fonts, each under its own licence.`
const RULE = '-'.repeat(80)

/** The notice, sorted by name. Throws an Error that names the packages without a licence or its text. */
export function noticeOf(bundled: Bundled[]): string {
  const bad = bundled.filter(({ identifier, text }) => !identifier || !text?.trim())
  if (bad.length) throw new Error(`Bundled without a licence text: ${bad.map(({ name }) => name).join(', ')}`)
  const sorted = [...bundled].sort((a, b) => (a.name < b.name ? -1 : 1))
  const parts = sorted.map(({ name, version, identifier, text }) => `${name} ${version} (${identifier})\n\n${text!.trim()}`)
  return [INTRO, ...parts].join(`\n\n${RULE}\n\n`) + '\n'
}

/** The package that a file belongs to, read from the nearest package.json with a version. */
export function packageOf(file: string): Bundled {
  const folder = dirname(file)
  const manifest = join(folder, 'package.json')
  if (!existsSync(manifest)) return packageOf(folder)
  const { name, version, license } = JSON.parse(readFileSync(manifest, 'utf8'))
  if (!version) return packageOf(folder)
  const text = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry))
  return { name, version, identifier: license, text: text && readFileSync(join(folder, text), 'utf8') }
}

export function notice(): Plugin {
  let root = ''
  return {
    name: 'hexarena:notice',
    apply: 'build',
    config: () => ({ build: { license: { fileName: PACKAGES_FILE } } }),
    configResolved: (config) => void (root = config.root),
    writeBundle({ dir }, bundle) {
      const packages = JSON.parse(readFileSync(join(dir!, PACKAGES_FILE), 'utf8')) as Bundled[]
      const assets = Object.values(bundle).flatMap((file) => (file.type === 'asset' ? file.originalFileNames : []))
      const fonts = assets.filter((file) => file.includes('node_modules')).map((file) => packageOf(join(root, file)))
      writeFileSync(join(dir!, 'NOTICE.txt'), noticeOf([...packages, ...fonts]))
      rmSync(join(dir!, dirname(PACKAGES_FILE)), { recursive: true })
    },
  }
}
