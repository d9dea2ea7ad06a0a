import { cruise, type ICruiseResult, type IForbiddenRuleType } from 'dependency-cruiser'
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config'
import { beforeAll, expect, test } from 'vitest'

const RULES: IForbiddenRuleType[] = [
  { name: 'no circle', severity: 'error', from: {}, to: { circular: true } },
  {
    name: 'a game imports the game interface and its own modules only',
    severity: 'error',
    from: { path: '^\\.\\./games/([^/]+)/' },
    to: { pathNot: ['^\\.\\./games/$1/', '^src/viewer/game\\.ts$'] },
  },
]

let result: ICruiseResult

beforeAll(async () => {
  const options = {
    validate: true,
    ruleSet: { forbidden: RULES },
    // Imports of types count, too.
    tsPreCompilationDeps: true,
    exclude: { path: ['node_modules', '^\\.\\./games/[^/]+/bots/'] },
    // Knows the alias $viewer.
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.svelte'] },
  }
  const cruised = await cruise(['src', '../games'], options, {}, { tsConfig: extractTSConfig('tsconfig.json') })
  result = cruised.output as ICruiseResult
})

const importedBy = (source: string): string[] =>
  result.modules.find((module) => module.source === source)!.dependencies.map((dependency) => dependency.resolved)

test('the check follows components, types and the games', () => {
  expect(importedBy('src/viewer/Viewer.svelte')).toContain('src/viewer/Stage.svelte')
  expect(importedBy('src/viewer/teams.ts')).toEqual(['src/viewer/lines.ts'])
  expect(importedBy('../games/ants/walks.ts')).toContain('src/viewer/game.ts')
})

test('no module imports itself through others, and games import the game interface only', () => {
  const broken = result.summary.violations.map(({ rule, from, to, cycle }) => {
    const way = cycle?.map((module) => module.name).join(' > ') ?? to
    return `${rule.name}: ${from} > ${way}`
  })
  expect(broken).toEqual([])
})
